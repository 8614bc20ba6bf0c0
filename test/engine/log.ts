/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { LoggerProxy } from 'n8n-workflow';

/**
 * Everything that n8n, or a node through it, wrote to its log, as one text per line. The node as the
 * workflow has it, which n8n writes next to every error, is left out.
 */
export const logLines: string[] = [];

const withoutNode = (key: string, value: unknown): unknown => (key === 'node' ? undefined : value);

const note =
	(level: string) =>
	(message: string, metadata: object = {}): void => {
		logLines.push(`${level} ${message} ${JSON.stringify(metadata, withoutNode)}`);
	};

const logger = {
	error: note('error'),
	warn: note('warn'),
	info: note('info'),
	debug: note('debug'),
	scoped: () => logger,
};

// Before n8n-core makes its own, which would write to the console.
Container.set(Logger, logger as unknown as Logger);
LoggerProxy.init(logger);
