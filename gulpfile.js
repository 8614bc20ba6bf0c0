const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { dest, parallel, src } = require('gulp');
const ts = require('typescript');

/** What n8n reads beside the compiled classes: icons, the codex files of the node panel, output schemas. */
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const codex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));

/** The fields of every output, which the editor offers before a node has run. */
async function schemas() {
	const { RESOURCES } = require('./dist/nodes/PartnerPayments/resources');
	const { EVENT } = require('./dist/nodes/events/event');
	for (const { value: resource, operations } of RESOURCES) {
		for (const { value: operation, output } of operations) {
			writeSchema('PartnerPayments', `v1.0.0/${resource}/${operation}`, output);
		}
	}
	for (const version of ['v1.0.0', 'v1.1.0']) writeSchema('PartnerPaymentsTrigger', version, EVENT);
}

function writeSchema(node, name, shape) {
	const { toJsonSchema } = require('./dist/nodes/fields/outputShape');
	const file = path.join(__dirname, 'dist/nodes', node, '__schema__', `${name}.json`);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, JSON.stringify(toJsonSchema(shape)));
}

/** The compiled code as the sources are indented: that is 2 kB less to download. */
async function tabs() {
	const root = path.join(__dirname, 'dist');
	for (const file of ts.sys.readDirectory(root, ['.js'])) {
		writeFileSync(file, indentedWithTabs(readFileSync(file, 'utf8')));
	}
}

/** The compiler's four spaces as tabs, but for lines that begin inside a text. */
function indentedWithTabs(code) {
	const file = ts.createSourceFile('code.js', code, ts.ScriptTarget.Latest, true);
	const lineAt = (position) => file.getLineAndCharacterOfPosition(position).line;
	const insideText = new Set();
	const visit = (node) => {
		if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) {
			const last = lineAt(node.end);
			for (let line = lineAt(node.getStart()) + 1; line <= last; line++) insideText.add(line);
		}
		ts.forEachChild(node, visit);
	};
	visit(file);
	const indent = (line) => line.replace(/^( {4})+/, (spaces) => '\t'.repeat(spaces.length / 4));
	return code
		.split('\n')
		.map((line, index) => (insideText.has(index) ? line : indent(line)))
		.join('\n');
}

exports.build = parallel(icons, codex, schemas, tabs);
exports.indentedWithTabs = indentedWithTabs;
