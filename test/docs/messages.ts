/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs beside n8n, not in it */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

import { ROOT } from './markdown';

/** Where a user's message stands: the name of the function or class, and the number of its argument. */
const ARGUMENT: Record<string, number> = {
	AddressError: 0,
	Error: 0,
	NodeOperationError: 1,
	ServiceError: 0,
	WrongOption: 0,
	add: 0,
	doubt: 0,
	info: 0,
	make: 1,
	push: 0,
	refuse: 0,
	refuseLogin: 0,
	reply: 1,
	warn: 0,
};

/** Names of properties and variables that hold a message, a part of one, or a list of them. */
const NAMES = ['CHANGING', 'head', 'hints', 'message', 'reason', 'rule'];

/** Not a message of its own: only values, or a single word. */
const isMessage = (text: string) => /\p{L}+ \p{L}+/u.test(text);

/** A message in the source: its text, with `…` where a value is filled in. */
export interface SourceMessage {
	text: string;
	file: string;
}

/** The messages that the published code can show to a user. */
export function sourceMessages(): SourceMessage[] {
	return ['nodes', 'credentials'].flatMap((folder) =>
		(readdirSync(join(ROOT, folder), { recursive: true }) as string[])
			.filter((file) => file.endsWith('.ts'))
			.map((file) => join(folder, file))
			.flatMap((file) => messagesIn(file)),
	);
}

function messagesIn(file: string): SourceMessage[] {
	const source = ts.createSourceFile(
		file,
		readFileSync(join(ROOT, file), 'utf8'),
		ts.ScriptTarget.ES2022,
		true,
	);
	const found: SourceMessage[] = [];
	const visit = (node: ts.Node) => {
		const holder = messageHolder(node);
		if (holder)
			found.push(
				...textsIn(holder)
					.filter(isMessage)
					.map((text) => ({ text, file })),
			);
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

function messageHolder(node: ts.Node): ts.Node | undefined {
	if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
		const { expression } = node;
		const name = ts.isPropertyAccessExpression(expression)
			? expression.name.text
			: ts.isIdentifier(expression)
				? expression.text
				: '';
		return Object.hasOwn(ARGUMENT, name) ? node.arguments?.[ARGUMENT[name]] : undefined;
	}
	if (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) {
		return NAMES.includes(node.name.getText()) ? node.initializer : undefined;
	}
	return ts.isReturnStatement(node) ? node.expression : undefined;
}

/** The texts of an expression: one for each branch of a condition or entry of a list, and the one behind `??`. */
function textsIn(node: ts.Node): string[] {
	if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(textsIn);
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
	if (ts.isTemplateExpression(node)) {
		return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')];
	}
	if (ts.isConditionalExpression(node)) {
		return [...textsIn(node.whenTrue), ...textsIn(node.whenFalse)];
	}
	return ts.isBinaryExpression(node) ? textsIn(node.right) : [];
}
