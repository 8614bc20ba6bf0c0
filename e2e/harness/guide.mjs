/**
 * Follows a guide word by word: reads its steps from the Markdown, and does what they say in a browser. A word that is
 * not on the screen, or that the guide does not say what to do with, is an error.
 *
 * In a step, **bold** is on the screen, _italic_ is a value to choose, `code` is typed or appears in an output, and
 * quoted text is searched for. The verb before it says what to do. Text in parentheses explains, and a sentence that
 * begins with "If" is for other readers: neither is followed.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXAMPLES_DIR } from './paths.mjs';

/** The verbs of both languages, in the order in which they are tried. */
const VERBS = /** @type {const} */ ({
	press: ['press', 'presiona'],
	search: ['search for', 'busca'],
	choose: ['choose', 'elige'],
	enter: ['enter', 'escribe'],
	turnOn: ['turn on', 'activa'],
	turnOff: ['turn off', 'desactiva'],
	leave: ['leave', 'deja'],
	hover: ['hover over', 'pasa el cursor sobre'],
	doubleClick: ['double-click', 'haz doble clic en'],
	upload: ['upload', 'sube'],
	go: ['open', 'abre'],
	see: ['you see', 'shows', 'it shows', 'verás', 'muestra'],
	under: ['under', 'en'],
});

/** What begins a sentence for readers in another situation. */
const CONDITION = /^(If|Si)\s/;

/** Signs on buttons that have no text. */
const SIGNS = {
	'+': '[data-test-id=canvas-handle-plus]',
	'×': '[data-test-id=ndv-close-button], [data-test-id=suggested-actions-close], .el-dialog__close',
};

/**
 * @typedef {object} Mark
 * @property {keyof typeof VERBS} verb
 * @property {'bold' | 'italic' | 'code' | 'quote' | 'link'} kind
 * @property {string} text
 * @property {string} sentence
 */

/**
 * @typedef {object} Step
 * @property {string} text as the guide has it
 * @property {Mark[]} marks what to do, in order
 * @property {[field: string, value: string][]} table fields to fill in, with their values
 */

/**
 * The steps of the guide's sections, in order.
 *
 * @param {string} file
 * @param {{ sections?: RegExp }} [options] whose headings match; by default all
 */
export function readSteps(file, { sections = /./ } = {}) {
	/** @type {Step[]} */
	const steps = [];
	let isIn = false;
	for (const block of blocksOf(readFileSync(file, 'utf8'))) {
		if (block.startsWith('#')) isIn = sections.test(block.replace(/^#+\s*/, ''));
		else if (isIn && /^\d+\. /.test(block)) {
			const text = block.replace(/^\d+\. /, '');
			steps.push({ text, marks: marksOf(text), table: [] });
		} else if (isIn && block.startsWith('|')) steps.at(-1)?.table.push(...rowsOf(block));
	}
	return steps;
}

/** Headings, list items and tables, each on one line or, for a table, on several. */
function blocksOf(markdown) {
	const blocks = [];
	for (const line of markdown.split('\n')) {
		const text = line.trim();
		const isTable = text.startsWith('|') && blocks.at(-1)?.startsWith('|');
		if (isTable) blocks[blocks.length - 1] += `\n${text}`;
		else if (/^(#|\d+\. |\||<|$)/.test(text)) blocks.push(text);
		else if (blocks.length) blocks[blocks.length - 1] += ` ${text}`;
	}
	return blocks;
}

/** The rows of a table without its head. */
function rowsOf(block) {
	return block
		.split('\n')
		.slice(2)
		.map((row) => row.split('|').slice(1, 3))
		.map(([field, value]) => [withoutNotes(field), value.trim().replaceAll('`', '')]);
}

/** Without what is in parentheses, except in bold text, links and code. */
function withoutNotes(text) {
	const kept = /(\*\*.+?\*\*|\[[^\]]*\]\([^)]+\)|`[^`]+`)|\s*\([^()]*\)/g;
	return text.replace(kept, '$1').trim();
}

const MARK =
	/\*\*(?<bold>.+?)\*\*|`(?<code>[^`]+)`|“(?<quote>[^”]+)”|"(?<quote2>[^"]+)"|«(?<quote3>[^»]+)»|\[[^\]]*\]\((?<link>[^)]+)\)|(?<![\p{L}\d])_(?<italic>[^_]+)_/u;
const VERB = new RegExp(
	`(?<![\\p{L}])(?:${Object.entries(VERBS)
		.map(([verb, words]) => `(?<${verb}>${words.join('|')})`)
		.join('|')})(?![\\p{L}])`,
	'iu',
);
const TOKEN = new RegExp(`${MARK.source}|${VERB.source}`, 'giu');

/** @param {string} text */
function marksOf(text) {
	/** @type {Mark[]} */
	const marks = [];
	for (const sentence of sentencesOf(text)) {
		/** @type {Mark['verb'] | undefined} */
		let verb;
		for (const { groups = {} } of sentence.matchAll(TOKEN)) {
			const { bold, code, quote, quote2, quote3, link, italic, ...verbs } = groups;
			const found = /** @type {Mark['verb'][]} */ (Object.keys(verbs)).find((name) => verbs[name]);
			// A place begins a sentence. Later, "en" is part of what another verb says.
			if (found && (found !== 'under' || !verb)) verb = found;
			if (found) continue;
			const [kind, shown] = /** @type {[Mark['kind'], string]} */ (
				Object.entries({ bold, code, quote: quote ?? quote2 ?? quote3, link, italic }).find(
					([, value]) => value !== undefined,
				)
			);
			// Other links lead to more to read.
			if (kind === 'link' && verb !== 'upload') continue;
			if (!verb) throw new Error(`The guide does not say what to do with "${shown}": ${sentence}`);
			marks.push({ verb, kind, text: shown, sentence });
		}
	}
	return marks;
}

/** The sentences to follow. */
function sentencesOf(text) {
	return withoutNotes(text)
		.split(/(?<=[.:])\s+(?=\p{Lu}|\*\*)/u)
		.filter((sentence) => !CONDITION.test(sentence));
}

/** A payroll of the demo, with its statuses, takes a minute and more on a busy machine. */
const TIMEOUT_MS = 180_000;

/** In the page: whether an element comes after another one. */
function isAfter(element, place) {
	return Boolean(
		place.compareDocumentPosition(element) & globalThis.Node.DOCUMENT_POSITION_FOLLOWING,
	);
}

/** In the page: whether a person can see the element and press it. */
function isFree(element) {
	const { x, y, width, height } = element.getBoundingClientRect();
	const hit = globalThis.document.elementFromPoint(x + width / 2, y + height / 2);
	const isHit = hit !== null && (element.contains(hit) || hit.contains(element));
	const isShown = element.checkVisibility({ opacityProperty: true });
	return isHit && isShown && element.closest('button')?.disabled !== true;
}

/** A reader at a screen, who knows nothing but the guide and the answers that it asks for. */
export class Reader {
	/** How often a mouse button was pressed, and how often something was typed. */
	clicks = 0;
	entries = 0;

	/** The field that was named last. */
	#field = '';
	/** Where in the page to look, such as a collection. */
	#place = '';

	/**
	 * @param {import('playwright-core').Page} page
	 * @param {{ known?: Record<string, string>, addresses?: Record<string, string> }} [given] what the reader knows: values
	 *   by the label of their field, and addresses by what they open
	 */
	constructor(page, { known = {}, addresses = {} } = {}) {
		/** The editor's window. */
		this.editor = page;
		this.page = page;
		this.known = known;
		this.addresses = addresses;
		page.setDefaultTimeout(TIMEOUT_MS);
		// A form that a workflow opens.
		page.on('popup', (opened) => {
			opened.setDefaultTimeout(TIMEOUT_MS);
			this.page = opened;
		});
	}

	/** @param {Step} step */
	async follow({ text, marks, table }) {
		let sentence;
		for (const mark of marks) {
			// A place holds for its sentence.
			if (mark.sentence !== sentence) this.#place = '';
			({ sentence } = mark);
			try {
				await this.#do(mark);
			} catch (error) {
				error.message = `"${mark.text}" (${mark.verb}) in the step "${text}": ${error.message}`;
				throw error;
			}
		}
		this.#place = '';
		for (const [field, value] of table) await this.#fillOrChoose(field, value);
	}

	/** @param {Mark} mark */
	async #do({ verb, kind, text }) {
		switch (verb) {
			case 'under':
				this.#field = text;
				await this.#seen(text);
				this.#place = text;
				return;
			case 'press':
				return kind === 'code' ? await this.page.keyboard.press(text) : await this.#press(text);
			case 'choose':
				if (kind === 'italic') return await this.#chooseValue(this.#field, text);
				this.#field = text;
				return await this.#press(text);
			case 'search':
				return await this.#type(text);
			case 'enter':
				if (kind === 'bold') {
					this.#field = text;
					if (text in this.known) await this.#fill(text, this.known[text]);
					return;
				}
				return await this.#fill(this.#field, text);
			case 'turnOn':
			case 'turnOff':
				return await this.#toggle(text, verb === 'turnOn');
			case 'leave':
				if (kind === 'bold') {
					this.#field = text;
					return;
				}
				return await this.#hasValue(this.#field, text);
			case 'hover':
				return await (await this.#pointAt(text)).hover();
			case 'doubleClick':
				this.clicks += 2;
				return await (await this.#pointAt(text)).dblclick();
			case 'upload':
				this.clicks += 1;
				return await (
					await this.#fileField()
				).setInputFiles(path.join(EXAMPLES_DIR, path.basename(text)));
			case 'go':
				// The window of a form is a small one.
				this.page = this.editor;
				return void (await this.page.goto(this.addresses[text]));
			case 'see':
				return kind === 'code' ? await this.#inOutput(text) : await this.#seen(text);
		}
	}

	/** Elements with exactly this text, which a star may follow, or with this name. */
	#text(text) {
		const { page } = this;
		const exact = new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*\\*?\\s*$`);
		return text in SIGNS
			? page.locator(SIGNS[/** @type {keyof typeof SIGNS} */ (text)])
			: page
					.getByText(exact)
					.or(page.getByRole('button', { name: text, exact: true }))
					.or(page.locator(`input[placeholder="${text}"]`));
	}

	/**
	 * The first of the elements that nothing covers, and that is not disabled: what a person could point at. In a place, it
	 * is the first that the place shows: the next one belongs to the next place.
	 *
	 * @param {import('playwright-core').Locator} locator
	 */
	async #reachable(locator) {
		const place = this.#place
			? await this.page.locator('label').locator(this.#text(this.#place)).first().elementHandle()
			: null;
		const deadline = Date.now() + TIMEOUT_MS;
		for (;;) {
			for (const one of await locator.all()) {
				if (!(await one.isVisible())) continue;
				if (place && !(await one.evaluate(isAfter, place).catch(() => false))) continue;
				await one.scrollIntoViewIfNeeded({ timeout: 1_000 }).catch(() => {});
				if (await one.evaluate(isFree).catch(() => false)) return one;
				if (place) break;
			}
			if (Date.now() > deadline) throw new Error('It is not on the screen, or something covers it');
			// A form that goes on to its next page has no frame to wait for.
			await this.page
				.evaluate(() => new Promise((next) => globalThis.requestAnimationFrame(next)))
				.catch(() => sleep(100));
		}
	}

	/** What to point at: a node, if the text is the name of one. A note may have the same words. */
	async #pointAt(text) {
		await this.#seen(text);
		const node = this.page
			.getByTestId('canvas-node')
			.and(this.page.locator(`[data-node-name="${text}"]`));
		return await this.#reachable((await node.count()) ? node : this.#text(text));
	}

	async #seen(text) {
		await this.#text(text).filter({ visible: true }).first().waitFor();
	}

	/** A field and its value, or a value, in the output of the open node. */
	async #inOutput(text) {
		const output = this.page.getByTestId('output-panel');
		for (const part of text.split(': ')) {
			await output.getByText(part, { exact: true }).filter({ visible: true }).first().waitFor();
		}
	}

	/** The field for a file, in a form that may still be opening: the editor has a hidden one, too. */
	async #fileField() {
		const deadline = Date.now() + TIMEOUT_MS;
		for (;;) {
			const field = this.page.locator('input[type=file]').filter({ visible: true });
			if (await field.count()) return field.first();
			if (Date.now() > deadline) throw new Error('No field for a file is on the screen');
			await sleep(100);
		}
	}

	async #press(text) {
		// A note on the canvas may have the same words.
		const pressable = this.page.locator(':not([data-test-id=sticky] *)');
		const found = await this.#reachable(this.#text(text).and(pressable));
		this.clicks += 1;
		// A text below its button.
		const sibling = found.locator(
			'xpath=self::p/preceding-sibling::*[1]/descendant-or-self::button',
		);
		await ((await sibling.count()) ? sibling.first() : found).click();
	}

	async #type(text) {
		this.entries += 1;
		const field = this.page.locator('input:focus');
		await field.waitFor();
		await field.fill(text);
	}

	/** The control of the field with this label. */
	async #control(label) {
		const name = this.page.locator('label').locator(this.#text(label)).filter({ visible: true });
		await name.first().waitFor();
		return name.first().locator('xpath=ancestor::*[.//input or .//textarea or .//select][1]');
	}

	async #fill(label, value) {
		this.entries += 1;
		await (await this.#control(label)).locator('input, textarea').first().fill(value);
		this.#field = label;
	}

	async #chooseValue(label, value) {
		const control = await this.#control(label);
		const select = control.locator('select');
		this.clicks += 2;
		if (await select.count()) {
			// An option may go on with examples or a sum.
			const options = await select.locator('option').allInnerTexts();
			const chosen = options.find((option) => option.startsWith(value)) ?? value;
			return void (await select.selectOption(chosen));
		}
		await control.locator('input').first().click();
		const option = this.page.getByRole('option').or(this.page.getByTestId('parameter-input-item'));
		await (await this.#reachable(option.locator(this.#text(value)))).click();
	}

	/** Types a value, or chooses it if the field offers choices. */
	async #fillOrChoose(label, value) {
		const control = await this.#control(label);
		const isChoice = await control.locator('.el-select').count();
		await (isChoice ? this.#chooseValue(label, value) : this.#fill(label, value));
	}

	async #hasValue(label, value) {
		const control = await this.#control(label);
		const shown = await control.locator('input').first().inputValue();
		// Of several values each has a tag.
		if (shown !== value) await control.getByText(value, { exact: true }).waitFor();
	}

	async #toggle(label, isOn) {
		const toggle = (await this.#control(label)).locator('.el-switch').first();
		const was = (await toggle.getByRole('switch').getAttribute('aria-checked')) === 'true';
		if (was === isOn) throw new Error(`${label} is ${was ? 'on' : 'off'} already`);
		this.clicks += 1;
		await toggle.click();
	}
}
