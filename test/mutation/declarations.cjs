'use strict';

const ts = require('typescript');

/**
 * The declarations of a file and where they are: functions, classes' members (`Lock.release`) and constants at the top
 * level. A mutant is known by the declaration that it is in, which stays when lines move or other code changes.
 *
 * @param {string} source
 * @returns {Array<{ name: string, start: number, end: number }>} members come before their class
 */
function declarationsOf(source) {
	const file = ts.createSourceFile('file.ts', source, ts.ScriptTarget.ES2022, true);
	/** @type {Array<{ name: string, start: number, end: number }>} */
	const found = [];
	/** @type {(name: string, node: import('typescript').Node) => void} */
	const add = (name, node) => {
		found.push({ name, start: node.getStart(file), end: node.end });
	};
	for (const statement of file.statements) {
		if (ts.isVariableStatement(statement)) {
			for (const one of statement.declarationList.declarations) {
				add(one.name.getText(file), one);
			}
		} else if (ts.isClassDeclaration(statement)) {
			const className = statement.name?.text ?? 'default';
			for (const member of statement.members) {
				const name = ts.isConstructorDeclaration(member)
					? 'constructor'
					: member.name?.getText(file);
				add(`${className}.${name}`, member);
			}
			add(className, statement);
		} else if (ts.isFunctionDeclaration(statement)) {
			add(statement.name?.text ?? 'default', statement);
		}
	}
	return found;
}

/**
 * The name of the declaration that a place is in; empty if it is in none.
 *
 * @param {ReturnType<typeof declarationsOf>} declarations
 * @param {number} offset
 */
function declarationAt(declarations, offset) {
	return declarations.find(({ start, end }) => start <= offset && offset < end)?.name ?? '';
}

module.exports = { declarationsOf, declarationAt };
