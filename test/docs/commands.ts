/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { ROOT } from './markdown';

interface Manifest {
	name: string;
	version: string;
	repository: { url: string };
	scripts: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** What npm does by itself, without a script of the project. */
const NPM_COMMANDS = [
	'ci',
	'cit',
	'deprecate',
	'install',
	'pack',
	'pkg',
	'publish',
	'stage',
	'test',
	'version',
];

const GIT_COMMANDS = ['clone', 'commit', 'fetch', 'push', 'tag'];

const testFiles = (readdirSync(join(ROOT, 'test'), { recursive: true }) as string[]).map((file) =>
	join('test', file),
);

/** Why a command of the guides cannot work, as far as this shows without running it; undefined if it can. */
export function unknownCommand(command: string): string | undefined {
	const [program, ...rest] = command.replace(/^([A-Z_]+=\S+ )+/, '').split(/\s+/);
	const reason = CHECKS[program]?.(rest) ?? (program in CHECKS ? undefined : 'is not known here');
	return reason === undefined ? undefined : `${command}: ${reason}`;
}

const CHECKS: Record<string, (words: string[]) => string | undefined> = {
	npm([first, script, ...rest]) {
		if (first !== 'run') return NPM_COMMANDS.includes(first) ? undefined : `npm has no ${first}`;
		if (!Object.hasOwn(manifest.scripts, script)) return `there is no script ${script}`;
		const flags = rest.filter((word) => word.startsWith('--') && word !== '--');
		if (flags.length && rest[0] !== '--') return 'npm takes the options without -- before them';
		const help = flags.length ? helpOf(script) : '';
		const unknown = flags.find((flag) => !help.includes(flag));
		return unknown && `${unknown} is not in its --help`;
	},
	npx([tool, path]) {
		if (tool === 'jest') {
			return testFiles.some((file) => file.startsWith(path)) ? undefined : `no test is at ${path}`;
		}
		const places = [join('node_modules', tool), join('node_modules/.bin', tool)];
		return places.some((place) => existsSync(join(ROOT, place)))
			? undefined
			: `${tool} is not installed`;
	},
	bash: ([path]) => (existsSync(join(ROOT, path)) ? undefined : 'there is no such file'),
	cd: ([folder]) => (folder === manifest.name ? undefined : 'is another folder than the clone'),
	git([first, address]) {
		if (!GIT_COMMANDS.includes(first)) return `git ${first} is not expected`;
		return first === 'clone' && address !== manifest.repository.url
			? 'is another repository than that of package.json'
			: undefined;
	},
};

const helps = new Map<string, string>();

/** What a script prints about its options. */
function helpOf(script: string): string {
	let help = helps.get(script);
	if (help === undefined) {
		// As npm runs it, without the time that npm itself takes.
		help = execFileSync('sh', ['-c', `${manifest.scripts[script]} --help`], {
			cwd: ROOT,
			encoding: 'utf8',
			env: { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}` },
			stdio: ['ignore', 'pipe', 'ignore'],
		});
		helps.set(script, help);
	}
	return help;
}
