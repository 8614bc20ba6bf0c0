/** HTML whose values are escaped: nothing from outside can become markup. */
export class Html {
	constructor(readonly text: string) {}
}

type Part = Html | readonly Html[] | string | number | undefined;

/** A template whose values are escaped, except other HTML. Undefined is nothing. */
export function html(texts: TemplateStringsArray, ...values: Part[]): Html {
	// Line breaks and tabs are the formatter's.
	const raw = texts.map((text) => text.replace(/\s+/g, ' '));
	return new Html(String.raw({ raw }, ...values.map(partText)));
}

/** A table of texts; nothing without a row. */
export const htmlTable = (rows: ReadonlyArray<readonly string[]>): Html =>
	rows.length === 0
		? html``
		: html`<table>
				<tbody>
					${rows.map(
						(cells) =>
							html`<tr>
								${cells.map((cell) => html`<td>${cell}</td>`)}
							</tr>`,
					)}
				</tbody>
			</table>`;

function partText(value: Part): string {
	if (value === undefined) return '';
	if (value instanceof Html) return value.text;
	if (typeof value === 'object') return value.map(({ text }) => text).join('');
	return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

const ENTITIES: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};
