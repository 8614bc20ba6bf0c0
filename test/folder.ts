/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Before all tests: a folder for whatever n8n-core writes. */
export default async function (): Promise<void> {
	process.env.TEST_FOLDER = await mkdtemp(join(tmpdir(), 'partner-payments-test-'));
}

/** After all tests. */
export async function removeFolder(): Promise<void> {
	const { TEST_FOLDER: folder } = process.env;
	if (folder) await rm(folder, { recursive: true, force: true });
}
