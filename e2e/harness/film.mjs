/** An animated picture of a page: scenes with captions, each shown for some seconds. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkSize, takePictures } from './pictures.mjs';

/** Each scene starts where the previous one ended, so few frames per second are enough. */
const FRAMES_A_SECOND = 5;

/** A palette of the film's colours, without dithering. */
const PALETTE = 'split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none';

const CAPTION_ID = 'film-caption';
const POINTER_ID = 'film-pointer';

export class Film {
	/** @type {Array<{ seconds: number, files: Record<string, string> }>} */
	#scenes = [];

	/** The mouse position in page pixels. */
	#pointer = { x: -100, y: -100 };

	/**
	 * @param {import('playwright-core').Page} page
	 * @param {object} options
	 * @param {string} options.folder for the frames
	 * @param {import('./pictures.mjs').Scheme[]} options.schemes each scene is taken in each of them
	 * @param {(name: string, scheme: string) => string} options.fileOf where the film is written to
	 * @param {number} options.width of a film, in pixels
	 * @param {number} options.maxBytes of a film
	 */
	constructor(page, options) {
		this.page = page;
		this.options = options;
	}

	/** Moves the mouse to the middle of a part of the page. */
	async moveTo(part) {
		const { x, y, width, height } = await part.boundingBox();
		this.#pointer = { x: x + width / 2, y: y + height / 2 };
		await this.page.mouse.move(this.#pointer.x, this.#pointer.y);
	}

	/** Shows the current page with a caption. */
	async scene(caption, seconds) {
		const { folder, schemes } = this.options;
		mkdirSync(path.join(folder, 'film'), { recursive: true });
		await this.page.evaluate(annotate, {
			caption: { id: CAPTION_ID, text: caption },
			pointer: { id: POINTER_ID, ...this.#pointer },
		});
		/** @type {Record<string, string>} */
		const files = {};
		for (const scheme of schemes) {
			files[scheme] = path.join(folder, 'film', `${this.#scenes.length}-${scheme}.png`);
		}
		await takePictures(this.page, this.page, schemes, (scheme) => files[scheme]);
		this.#scenes.push({ seconds, files });
		await this.page.evaluate(
			(ids) => ids.forEach((id) => globalThis.document.getElementById(id)?.remove()),
			[CAPTION_ID, POINTER_ID],
		);
	}

	/** Writes the scenes so far to one film per scheme, and starts again. */
	write(name) {
		const { folder, schemes, fileOf, width, maxBytes } = this.options;
		for (const scheme of schemes) {
			const list = path.join(folder, 'film', `${scheme}.txt`);
			const lines = this.#scenes.map(
				({ seconds, files }) => `file '${files[scheme]}'\nduration ${seconds}`,
			);
			// ffmpeg uses the duration of the last file only if it is repeated.
			lines.push(`file '${this.#scenes[this.#scenes.length - 1].files[scheme]}'`);
			writeFileSync(list, lines.join('\n'));
			const file = fileOf(name, scheme);
			execFileSync('ffmpeg', [
				...['-loglevel', 'error', '-y', '-f', 'concat', '-safe', '0', '-i', list],
				...['-vf', `fps=${FRAMES_A_SECOND},scale=${width}:-1:flags=lanczos,${PALETTE}`],
				file,
			]);
			checkSize(file, maxBytes);
		}
		this.#scenes = [];
	}
}

/** Runs in the page. */
function annotate({ caption, pointer }) {
	const document = globalThis.document;
	const show = (id, text, css) => {
		const element = document.createElement('div');
		element.id = id;
		element.textContent = text;
		element.style.cssText = `position:fixed;z-index:2147483647;pointer-events:none;${css}`;
		document.body.append(element);
	};
	show(
		caption.id,
		caption.text,
		'left:50%;bottom:24px;transform:translateX(-50%);padding:10px 20px;border-radius:8px;background:#1f2937;color:#fff;font:600 18px sans-serif;white-space:nowrap',
	);
	show(
		pointer.id,
		'',
		`left:${pointer.x - 12}px;top:${pointer.y - 12}px;width:24px;height:24px;border-radius:50%;background:#ea4b7180;border:2px solid #ea4b71`,
	);
}
