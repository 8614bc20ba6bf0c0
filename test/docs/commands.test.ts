/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { execFileSync } from 'node:child_process';

import { startSandbox, type Sandbox } from '../../sandbox/server';
import { documents, readDocument } from './markdown';
import { unknownCommand } from './commands';

/** The commands of a block: continued lines are one, comments are none. */
function commandsIn(script: string): string[] {
	return script
		.replace(/\\\n\s*/g, '')
		.split('\n')
		.map((line) => line.replace(/(^|\s)#.*$/, '').trim())
		.filter((line) => line !== '');
}

const all = documents();

/** These are run, below. */
const OF_THE_SANDBOX = /^(admin=|json=|curl )/;

test('every command of the guides exists, with its options', () => {
	const commands = all.flatMap(({ blocks, codes }) => [
		...blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => commandsIn(text)),
		...codes.filter((code) => /^(npm|npx|bash|git) /.test(code)),
	]);
	const others = [...new Set(commands)].filter((command) => !OF_THE_SANDBOX.test(command));
	expect(others.length).toBeGreaterThan(20);
	expect(others.flatMap((command) => unknownCommand(command) ?? [])).toEqual([]);
});

test('every block of commands is marked as such', () => {
	const unmarked = all.flatMap(({ path, blocks }) =>
		blocks
			.filter(({ language, text }) => language !== 'sh' && /^\s*(npm|npx|git|curl) /m.test(text))
			.map(({ text }) => `${path}: ${text}`),
	);
	expect(unmarked).toEqual([]);
});

describe('the commands of the sandbox', () => {
	let sandbox: Sandbox;
	beforeAll(async () => (sandbox = await startSandbox()));
	afterAll(async () => await sandbox.close());

	/** The arguments of each curl of a script, as bash hands them over. */
	function curlCalls(script: string): string[][] {
		const output = execFileSync(
			'bash',
			['-euc', `curl() { printf '%s\\0' "$@"; printf '\\n\\0'; }\n${script}`],
			{ encoding: 'utf8' },
		);
		return output
			.split('\0\n\0')
			.filter((call) => call !== '')
			.map((call) => call.split('\0'));
	}

	async function send(call: string[]): Promise<number> {
		const option = (name: string) => {
			const position = call.indexOf(name);
			return position === -1 ? undefined : call.splice(position, 2)[1];
		};
		const [method = 'GET', header, body] = [option('-X'), option('-H'), option('-d')];
		const headers = header === undefined ? {} : { [header.split(': ')[0]]: header.split(': ')[1] };
		const [address, ...more] = call;
		expect(more).toEqual([]);
		const { origin } = new URL(sandbox.baseUrl);
		const url = address.replace('http://127.0.0.1:3456', origin);
		return (await fetch(url, { method, headers, body })).status;
	}

	test('are accepted by it', async () => {
		const script = readDocument('sandbox/README.md')
			.blocks.filter(({ language, text }) => language === 'sh' && /^(admin|curl)/m.test(text))
			.map(({ text }) => text)
			.join('\n');
		const calls = curlCalls(script);
		expect(calls.length).toBeGreaterThan(5);
		for (const call of calls) {
			const shown = call.join(' ');
			expect(`${shown}: ${await send(call)}`).toMatch(/: 20\d$/);
		}
	});
});
