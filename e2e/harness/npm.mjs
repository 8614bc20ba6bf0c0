/**
 * The command for npm: the npm that runs the current script, or else the one on the path.
 *
 * @returns {{ command: string, prefix: string[] }}
 */
export function npmCommand() {
	const cli = process.env.npm_execpath;
	// Other package managers set the same variable.
	if (cli && /npm-cli\.js$/.test(cli)) return { command: process.execPath, prefix: [cli] };
	return { command: 'npm', prefix: [] };
}
