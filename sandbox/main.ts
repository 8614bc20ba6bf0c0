/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { parseArgs } from 'node:util';
import { startSandbox } from './server';
import type { Sandbox, SandboxOptions } from './server';

const usage = `Usage: npm run sandbox -- [options]

  --host H               address to listen on (127.0.0.1)
  --port P               port to listen on, 0 for any free one (3456)
  --token-lifetime S     life of an access token in seconds (3600)
  --state-clock MS       time from one transaction state to the next, 0: only on command (5000)
  --set NAME=VALUE       any other setting, its value as JSON or plain text; may be repeated
  --allow-remote         listen on an address that other machines can reach
  --json                 print one line of JSON when ready
  --help                 print this

The settings are listed in sandbox/README.md.
`;

function numberOf(name: string, text: string): number {
	const value = Number(text);
	if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
		throw new Error(`--${name} needs a number, not '${text}'`);
	}
	return value;
}

function portOf(text: string): number {
	const port = numberOf('port', text);
	if (!Number.isInteger(port) || port > 65_535) throw new Error(`${text} is not a port`);
	return port;
}

function setting(assignment: string): [string, unknown] {
	const [name, ...rest] = assignment.split('=');
	const value = rest.join('=');
	if (rest.length === 0) throw new Error(`--set needs NAME=VALUE, not '${assignment}'`);
	try {
		return [name, JSON.parse(value)];
	} catch {
		return [name, value];
	}
}

function readCommandLine() {
	const { values } = parseArgs({
		options: {
			host: { type: 'string', default: '127.0.0.1' },
			port: { type: 'string', default: '3456' },
			'token-lifetime': { type: 'string' },
			'state-clock': { type: 'string', default: '5000' },
			set: { type: 'string', multiple: true, default: [] },
			'allow-remote': { type: 'boolean', default: false },
			json: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	const lifetime = values['token-lifetime'];
	const clock = numberOf('state-clock', values['state-clock']);
	const options: SandboxOptions = {
		host: values.host,
		port: portOf(values.port),
		allowRemote: values['allow-remote'],
		stateClockMs: clock === 0 ? null : clock,
		...(lifetime !== undefined && { tokenLifetimeSeconds: numberOf('token-lifetime', lifetime) }),
		...Object.fromEntries(values.set.map(setting)),
	};
	return { options, json: values.json, help: values.help };
}

function describeError(error: unknown, { host, port }: SandboxOptions): string {
	const { code, message } = error as NodeJS.ErrnoException;
	if (code !== 'EADDRINUSE') return message;
	return `Port ${port} of ${host} is in use. Choose another with --port, or any free one with --port 0.`;
}

function announce({ baseUrl, adminUrl, consoleUrl, email, password }: Sandbox): string {
	return `Partner payments sandbox: for development, demos and tests. Nothing here is real.

  Base URL         ${baseUrl}
  Email            ${email}
  Password         ${password}
  Console          ${consoleUrl}
  Admin API        ${adminUrl}

Press Ctrl-C to stop.
`;
}

async function main(): Promise<void> {
	const { options, json, help } = readCommandLine();
	if (help) {
		process.stdout.write(usage);
		return;
	}

	const sandbox = await startSandbox(options).catch((error: unknown) => {
		throw new Error(describeError(error, options));
	});
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.once(signal, () => void sandbox.close());
	}

	const { baseUrl, adminUrl, consoleUrl, email, password } = sandbox;
	process.stdout.write(
		json
			? `${JSON.stringify({ baseUrl, adminUrl, consoleUrl, email, password })}\n`
			: announce(sandbox),
	);
}

main().catch((error: Error) => {
	process.stderr.write(`${error.message}\n`);
	process.exitCode = 1;
});
