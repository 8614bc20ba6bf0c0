const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { dest, parallel, series, src } = require('gulp');
const ts = require('typescript');

/** What n8n reads in addition to the compiled classes: icons, the codex files of the node panel, output schemas. */
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
async function codex() {
	for (const file of ts.sys.readDirectory(path.join(__dirname, 'nodes'), ['.json'])) {
		const text = JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
		writeFileSync(path.join(__dirname, 'dist', path.relative(__dirname, file)), text);
	}
}

/** The fields of every output, which the editor offers before a node has run. */
async function schemas() {
	const { RESOURCES } = require('./dist/nodes/PartnerPayments/resources');
	const { EVENT } = require('./dist/nodes/webhooks/event');
	for (const { value: resource, operations } of RESOURCES) {
		for (const { value: operation, output } of operations) {
			writeSchema('PartnerPayments', `v1.0.0/${resource}/${operation}`, output);
		}
	}
	writeSchema('PartnerPaymentsTrigger', 'v1.1.0', EVENT);
}

function writeSchema(node, name, shape) {
	const file = path.join(__dirname, 'dist/nodes', node, '__schema__', `${name}.json`);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, JSON.stringify(toJsonSchema(shape)));
}

/** An output's shape as JSON schema. */
function toJsonSchema(shape) {
	if (typeof shape === 'string') return { type: shape };
	if (Array.isArray(shape)) return { type: 'array', items: toJsonSchema(shape[0]) };
	const properties = Object.fromEntries(
		Object.entries(shape).map(([field, inner]) => [field, toJsonSchema(inner)]),
	);
	return { type: 'object', properties };
}

/** The compiled code as a person would write it, for whoever reads it before installing. */
async function readable() {
	const root = path.join(__dirname, 'dist');
	for (const file of ts.sys.readDirectory(root, ['.js'])) {
		const code = asCommonJs(readFileSync(file, 'utf8'));
		if (code === '') rmSync(file);
		else writeFileSync(file, indentedWithTabs(code));
	}
}

/**
 * A module with plain `require` and `module.exports`. The compiler itself calls each imported function
 * as `(0, module_1.name)(…)`, for modules that import each other in a circle: here none does.
 *
 * @returns nothing for a module that has only types
 */
function asCommonJs(code) {
	const file = parsed(code);
	const names = [];
	let rest = '';
	for (const statement of file.statements) {
		const text = statement.getFullText();
		if (ts.isImportDeclaration(statement)) {
			const { namedBindings, name } = statement.importClause ?? {};
			if (!namedBindings || name || !ts.isNamedImports(namedBindings)) throw new Error(text);
			const imported = namedBindings.elements.map((element) =>
				element.getText().replace(' as ', ': '),
			);
			const from = statement.moduleSpecifier.getText();
			rest += `const { ${imported.join(', ')} } = require(${from});\n`;
		} else if (ts.isExportDeclaration(statement) || ts.isExportAssignment(statement)) {
			if (statement.exportClause?.elements?.length !== 0) throw new Error(text);
		} else {
			const isExported = statement.modifiers?.[0]?.kind === ts.SyntaxKind.ExportKeyword;
			if (isExported) names.push(...namesIn(statement));
			rest += isExported ? text.replace('export ', '') : text;
		}
	}
	if (rest.trim() === '') return '';
	return `'use strict';\n${rest.trim()}\nmodule.exports = { ${names.join(', ')} };\n`;
}

function namesIn(statement) {
	const declared = statement.declarationList?.declarations ?? [statement];
	return declared.map(({ name }) => {
		if (!ts.isIdentifier(name)) throw new Error(name.getText());
		return name.text;
	});
}

/** The compiler's four spaces as tabs, but for lines that begin inside a text. */
function indentedWithTabs(code) {
	const file = parsed(code);
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

function parsed(code) {
	return ts.createSourceFile('code.js', code, ts.ScriptTarget.Latest, true);
}

exports.build = series(readable, parallel(icons, codex, schemas));
exports.asCommonJs = asCommonJs;
exports.indentedWithTabs = indentedWithTabs;
