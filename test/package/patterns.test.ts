/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs beside n8n, not in it */
import { runInNewContext } from 'node:vm';

import { publishedPatterns, type Pattern } from '../patterns';

/**
 * The texts of 1 MB that are slowest to search with a pattern: the beginning of a match over and over, and an ending
 * that makes each of these attempts fail as late as possible.
 */
type WorstCase = [part: string, end?: string, start?: string];

const WORST_CASES: Record<string, WorstCase[]> = {
	// service/
	[String.raw`/\{(\w+)\}/g`]: [['{a'], ['a', '', '{']],
	[String.raw`/^127(\.\d{1,3}){3}$/`]: [['.127', '', '127']],
	[String.raw`/^\s*\d+(\.\d+)?\s*$/`]: [
		['1', 'x'],
		[' ', 'x', '1'],
		[' ', 'x'],
		['1', 'x', '1.'],
	],
	[String.raw`/^[!-~]+$/`]: [['a', ' ']],
	[String.raw`/\bBearer\s+(\*{3}|(?=[^\s"',;<>]*\d|[^\s"',;<>]{16})[^\s"',;<>]+)/gi`]: [
		['Bearer '],
		[' ', '', 'Bearer'],
		['Bearer ', ','],
		['bearer-', '', 'Bearer '],
	],
	[String.raw`/\beyJ[\w-]{5,}(\.[\w-]*){0,2}/g`]: [['eyJ-'], ['eyJ.'], ['eyJ-eyJ-.']],
	[String.raw`/fail|unsuccess|reject|refus|expir|cadu[cq]|cancel|declin|den(?:y|ied|eg)|negad|error|revers|revert|extorn|roll(?:ed)?_?back|refund|return|devuel|bounce|void|annul|anula|abort|terminat|withdrawn|invalid|block(?!chain)|bloque|rechaz|rehus|desestim|fall(?:o|id)|venc|chargeback|clawback|insuff|unauthori|forbidden|time_?d?_?out/`]:
		[['timed_'], ['unsucces'], ['blockchain']],
	[String.raw`/[\s_-]+/g`]: [['_'], ['_a']],
	[String.raw`/^Destination | Code$/g`]: [['Destination '], [' Code', 'x']],
	[String.raw`/_transaction$/`]: [['_transaction', 's'], ['_']],
	// report/
	[String.raw`/[&<>"']/g`]: [['&'], ['a']],
	[String.raw`/\.\w{1,8}$/`]: [['.a'], ['.'], ['.aaaaaaaa']],
	[String.raw`/\s+/g`]: [[' '], [' a']],
	[String.raw`/^(-?)(\d{1,40})(?:\.(\d{1,20}))?$/`]: [['1', 'x'], ['1.']],
	[String.raw`/^\d{1,40}(\.\d{1,20})?$/`]: [['1', 'x'], ['1.']],
	[String.raw`/^[1-9]\d{0,6}$/`]: [['1', 'x']],
	// fields/
	[String.raw`/\p{L}[√‚„‡]|\p{L}[¡¢£¤¥]\p{L}/u`]: [['a'], ['a¡'], ['¡']],
	[String.raw`/^((ejemplo|example)(?!\p{L})|((sub)?total(es)?|[\d\p{P}\s]+)$)/iu`]: [
		['ejemplo'],
		['example'],
		['subtotal'],
		['1', 'a'],
	],
	[String.raw`/\p{L}\?|\p{Ll}([–—]\p{Ll}|Ž)/u`]: [['a'], ['a–']],
	[String.raw`/[\s,](S\.?\s?(A\.?\s?[ACS]?|[Rr]\.?\s?[Ll])|S[Pp]A|E\.?I\.?R\.?L|LLC|I[Nn][Cc]|L[Tt][Dd][Aa]?)\.?$/`]:
		[[' '], [' S'], [' S.A. '], [' E.I.R.L']],
	[String.raw`/^https?:/i`]: [['http'], ['https']],
	[String.raw`/^[A-Z]{2,}$/i`]: [['A', '1']],
	[String.raw`/^[A-Z]{2}\d{2}/i`]: [['A1']],
	[String.raw`/[^\p{L}\p{M}\p{N}%]+/u`]: [['.', 'a'], ['.a']],
	[String.raw`/(\p{Ll})(\p{Lu})/gu`]: [['aA'], ['a']],
	[String.raw`/^-?(\d+\.?|\d*\.\d+)$/`]: [
		['1', 'x'],
		['1', 'x', '.'],
	],
	[String.raw`/^-?[1-9]\d{0,2}(,\d{3})+\.\d+$|^-?[1-9]\d{0,2}([ \u00a0\u202f]\d{3})+\.\d+$/`]: [
		[',111', '.x', '1'],
		[' 111', '.x', '1'],
		['1', 'x', '1,111.'],
	],
	[String.raw`/^-?[\d.,\s]+$/`]: [['1. ', 'x']],
	[String.raw`/[,\s]/g`]: [[' ']],
	[String.raw`/[.\s]/g`]: [[' ']],
	[String.raw`/[-.]/g`]: [['.']],
	[String.raw`/^0+/`]: [['0']],
	[String.raw`/^0+(?=\d)/`]: [['0'], ['0', 'x']],
	[String.raw`/^-?\d+(\.\d+)?e[+-]?\d+$/i`]: [
		['1', 'x'],
		['1', 'x', '1.'],
		['1', 'x', '1e'],
	],
	[String.raw`/^(-?)(\d)\.(\d+)e-(\d+)$/`]: [
		['1', 'x', '1.'],
		['1', 'x', '1.1e-'],
	],
	[String.raw`/^-?(?:\d+\.?|\d*\.\d+|[1-9]\d{0,2}(?:(?:,\d{3})+|(?:[ \u00a0\u202f]\d{3})+)(?:\.\d+)?)$/`]:
		[
			['1', 'x'],
			[',111', 'x', '1'],
			[' 111', 'x', '1'],
			['1', 'x', '1,111.'],
		],
	[String.raw`/^-?(?:\d+,?|\d*,\d+|[1-9]\d{0,2}(?:(?:\.\d{3})+|(?:[ \u00a0\u202f]\d{3})+)(?:,\d+)?)$/`]:
		[
			['1', 'x'],
			['.111', 'x', '1'],
			[' 111', 'x', '1'],
			['1', 'x', '1.111,'],
		],
	[String.raw`/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u`]: [['a']],
	[String.raw`/[^\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u`]: [
		[' '],
		['\u200b'],
		['a'],
	],
	[String.raw`/^(?:[!-~]+(?: [!-~]+)*)?$/`]: [
		['a', 'é'],
		['a ', ' '],
	],
	[String.raw`/(?!\p{White_Space})[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu`]: [
		['\t'],
		['\u200b'],
	],
	[String.raw`/\p{White_Space}/gu`]: [[' ']],
	'/[A-Z]/g': [['A']],
	[String.raw`/\bId$/`]: [['Id'], ['I']],
	[String.raw`/\bUrl$/`]: [['Url'], ['U']],
	[String.raw`/\ufffd|[ÂÃ][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]|ï»¿/u`]:
		[['ï»'], ['Ã']],
	[String.raw`/[\u0300-\u036f]|[^\p{L}\p{M}\p{N}\p{Sc}%/]/gu`]: [['.'], ['\u0301']],
	[String.raw`/[\s,;]+/g`]: [[' '], ['a,']],
	[String.raw`/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g`]: [['\u200b']],
	[String.raw`/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i`]: [['-aaaa', '', 'aaaaaaaa']],
	[String.raw`/^(\d+)\.0+$/`]: [['1', 'x'], ['0', 'x', '1.'], ['.0']],
	[String.raw`/^[-+\u2212]?\d+([.,]\d+)?e[-+]?\d+$/i`]: [
		['1', 'x'],
		['1', 'x', '1.'],
		['1', 'x', '1e'],
	],
	[String.raw`/(?![0-9])\p{Nd}/u`]: [['1']],
	[String.raw`/^[-\u2212][\d.,]+$|^\d+[.,]\d+$/`]: [
		['1', 'x', '-'],
		['1', 'x'],
		['1', 'x', '1.'],
	],
	[String.raw`/^[0-9A-Z]+$/i`]: [['a', '.']],
	[String.raw`/[\s.\-\u2010-\u2015]/gu`]: [['-'], ['a']],
	[String.raw`/^[0-9A-Z]+([\s.\-\u2010-\u2015][0-9A-Z]+)+$/iu`]: [
		['a', '_'],
		['a-', '_'],
		['1', ''],
	],
	[String.raw`/^\d+\.\d+$/`]: [
		['1', 'x'],
		['1', 'x', '1.'],
	],
	[String.raw`/^[0-9A-Z._/-]+$/i`]: [['a', ' ']],
	[String.raw`/^(banco|bank)(?=.)/`]: [['banco'], ['a']],
	[String.raw`/^(\d+)[\s.-]{0,3}(?:LP|LPZ|CB|CBB|CBBA|SC|SCZ|OR|ORU|PT|PTS|TJ|TJA|CH|CHQ|BE|BN|BNI|PD|PN|PND|PA)\.?$/i`]:
		[
			['1', 'x'],
			['1', ' LPx'],
		],
	[String.raw`/^__EMPTY(_\d+)?$/`]: [['1', 'x', '__EMPTY_']],
	[String.raw`/\s/g`]: [[' '], ['a']],
	[String.raw`/\d/`]: [['a']],
	[String.raw`/\p{L}/u`]: [['1']],
	[String.raw`/^(#N\/[AD]|#[¡¿]?[\p{L}/0]{3,14}[!?]|Err:\d{3}|=.+)$/iu`]: [
		['#N/'],
		['#'],
		['a', '', '#'],
		['=', '\n'],
	],
	[String.raw`/^([NnSs]\/[AaDdNn]|null|undefined|NaN|[\p{P}\s]+)$/u`]: [
		['-', 'a'],
		[' ', 'a'],
	],
	[String.raw`/[1-9]/`]: [['a']],
	[String.raw`/[0-9]/`]: [['a']],
	[String.raw`/^[0-9]+$/`]: [['1', 'x']],
	[String.raw`/\p{L}/u`]: [['1']],
	[String.raw`/^[1-9]\d{0,2},\d{3}$/`]: [['1,111']],
	[String.raw`/^[1-9]\d{0,2}\.\d{3}$/`]: [['1.111']],
	[String.raw`/^0x[0-9a-fA-F]{40}$/`]: [['0x']],
	[String.raw`/^T[1-9A-HJ-NP-Za-km-z]{33}$/`]: [['T']],
	[String.raw`/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/`]: [['00:']],
	[String.raw`/^[^\s@]+@(?=[^\s@]+$)[^][^.]*\.[^]/`]: [
		['a'],
		['.', ' ', 'a@'],
		['a.', '@', 'a@'],
		['a', '', 'a@'],
		['a@'],
	],
	// batch/
	[String.raw`/^=\s*\{\{\s*\$json(?:\.([\w$]+)|\[(["'])([^"'\]]*)\2\])\s*\}\}\s*$/`]: [
		['a', 'x', '={{$json.'],
		['a', 'x', '={{$json["'],
		[' ', 'x', '={{$json.a}}'],
		[' ', 'x', '={{$json.a'],
		[' ', 'x', '='],
	],
	[String.raw`/^=\s*\{\{\s*\$json(\.[\w$]+|\[(["'])[^"'\]]*\2\])+\s*\}\}\s*$/`]: [
		['.a', 'x!', '={{$json'],
		['["a"]', 'x', '={{$json'],
		['a', '!', '={{$json.'],
		[' ', 'x', '={{$json.a}}'],
	],
	[String.raw`/^\d+ payments?$/`]: [
		['1', 'x'],
		['1', ' paymentsx'],
	],
	[String.raw`/^([\da-f]{64})(?:\.((?:[\da-f]{8})+))?$/`]: [
		['a'],
		['a', 'x', `${'a'.repeat(64)}.`],
	],
	[String.raw`/\n\d+$/`]: [
		['\n', 'x'],
		['1', 'x', '\n'],
	],
	[String.raw`/.{8}/g`]: [['a']],
	[String.raw`/\b(undefined|null|NaN)\b|\[object Object\]|Invalid DateTime/`]: [
		['undefinednull'],
		['[object '],
		['Invalid '],
	],
	[String.raw`/\$execution(?:Id)?\b|\$resumeWebhookUrl\b|\$runIndex\b|\bcurrentRunIndex\b/`]: [
		['$executionI'],
		['$executionIda'],
	],
	[String.raw`/\bMath\s*\.\s*random\b|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b|\.randomItem\s*\(/`]:
		[
			['Math .'],
			[' ', 'x', 'Math'],
			[' ', 'x', 'Math.'],
			['Math. '],
			['.randomItem '],
			[' ', 'x', '.randomItem'],
		],
	[String.raw`/\$now\b|\$today\b|\bDateTime\s*\.\s*(?:now|local|utc)\s*\(\s*(?:\{[^{}]*\}\s*)?\)|\bnew\s+Date(?!\s*\(\s*[^\s)])(?:\s*\(\s*\))?|\bDate\s*(?:\.\s*now\s*)?\(\s*\)/g`]:
		[
			['DateTime.now('],
			['DateTime.now({'],
			['a', '', 'DateTime.now({'],
			[' ', 'x', 'DateTime.now('],
			[' ', 'x', 'DateTime.now({}'],
			['new '],
			[' ', 'x', 'new'],
			['new Date('],
			['new Date ( '],
			[' ', '(x', 'new Date'],
			[' ', 'x', 'new Date('],
			[' ', 'x', 'Date'],
			[' ', 'x', 'Date.'],
			[' ', 'x', 'Date.now('],
			['Date.now'],
			['$nowa'],
		],
	[String.raw`/[\s\p{Dash}\p{Pc}]+/gu`]: [['-'], ['-a']],
	[String.raw`/^\d{1,15}\.?$/`]: [['1']],
	[String.raw`/^0*(0|[1-9]\d*)(?:\.0+)?$/`]: [
		['0', 'x'],
		['1', 'x'],
		['0', 'x', '1.'],
	],
	// sheet/
	["/[^\\p{L}\\p{M}\\s.,'’´`&-]|\\s-|-\\s|\\S \\S+ [\\p{L}&] \\S+ \\S/u"]: [
		[' ', 'a'],
		['-', 'a'],
		['a'],
		['a a '],
		['a', '', 'a a & '],
	],
	[String.raw`/\S{20}(?=\S)/g`]: [['a'], ['aaaaaaaaaaaaaaaaaaaa ']],
	[String.raw`/^(?:'(?=\d)|="([^"]*)"$)/`]: [["'"], ['a', '"x', '="']],
	[String.raw`/general/i`]: [['genera']],
	[String.raw`/[#0?@]/`]: [['a']],
	[String.raw`/^(?:%PDF|[{[]\s*["{[\\])/`]: [['%PD'], [' ', 'a', '{']],
	[String.raw`/^([12])\p{L}{0,2}$/u`]: [['1a'], ['a', '1', '1']],
	[String.raw`/^(cents?|centavos?|centimos?|miles|thousands?)$/`]: [['centavos'], ['cent']],
	[String.raw`/_(\w)/g`]: [['_'], ['_a']],
	[String.raw`/(?<=\d)['’](?=\d{3}(?!\d)(?:([.,])\d{3}(?!\d))?)/g`]: [["'"], ["1'"], ["'111"]],
	[String.raw`/^(\D*?)(-?\d(?:.*\d)?)(\D*)$/s`]: [['a'], ['1'], ['-'], ['1a']],
	[String.raw`/[^#0?.,%E/+]/g`]: [['a'], ['0']],
	[String.raw`/[\s()@-]/g`]: [[' '], ['a']],
	[String.raw`/[%E/]|,\./`]: [['0'], [',', 'x']],
	[String.raw`/^(?:\[=0\](?:"[^"]*"|\\.|[^;"\\])*;)?((?:"[^"]*"|\\.|[^;"\\])*)/`]: [
		['a', ';'],
		['"'],
		['""', '', '[=0]'],
		['\\\\', '"', '[=0]'],
	],
	[String.raw`/&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));|_x([\da-fA-F]{4})_/g`]: [
		['&#x111111'],
		['&#1111111'],
		['&am'],
		['_x000D'],
	],
	[String.raw`/"([^"]*)"|\[(?:\$([^\]-]{0,20}))?[^\]]{0,80}\]|\\(.)|[_*].|\s/gi`]: [
		['"a'],
		['[$'],
		['[a'],
		['_'],
	],
	[String.raw`/^(.{8})(.{4})(.{4})(.{4})/`]: [['a']],
	[String.raw`/(?<![\d.,])000(?!\d)/`]: [['0'], ['00 ']],
	[String.raw`/^[\p{L}\p{M}\s.'-]+$/u`]: [['a', '1']],
	[String.raw`/\d+/g`]: [['1'], ['a1']],
	[String.raw`/\(([\p{Lu}\d]{1,6})\)|\p{Ll}\s+(\p{Lu}{2,5})$/u`]: [['(A'], ['a '], [' ', 'A', 'a']],
	[String.raw`/[():;,]/`]: [['a']],
	[String.raw`/(?:^|\s)(?:en|in)\s/i`]: [[' '], ['en'], [' en']],
	[String.raw`/\s/`]: [['a']],
	[String.raw`/^\S{0,3}\p{Sc}$/u`]: [['$'], ['a']],
	[String.raw`/^\d+$/`]: [['1', 'x']],
	[String.raw`/^(\p{L}\.)+$/u`]: [['A.', 'x']],
	[String.raw`/^[#0?,]*[#0?](?:\.(0+))?(,{0,3})$/`]: [
		['0', 'x'],
		[',', 'x'],
		['0', 'x', '0.'],
	],
	[String.raw`/[dmyhs]/i`]: [['a']],
	[String.raw`/^0\d+$/`]: [['0', 'x']],
	[String.raw`/\s+/`]: [[' '], ['a ']],
	[String.raw`/^\(.*\)$/`]: [
		['(', 'x'],
		[')', 'x', '('],
	],
	[String.raw`/^\p{Lu}{2,5}$/u`]: [['A', 'x']],
	[String.raw`/^0{2,}$/`]: [['0', 'x']],
	[String.raw`/^xl\/workbook\d?\.xml$/`]: [['xl/workbook']],
	[String.raw`/^\*{2,}|(?<!\*)\*{2,}$|[.,][-\u2013\u2014]$/g`]: [['.'], ['.-', 'x'], ['*', 'x']],
	[String.raw`/[.:]$/`]: [['.', 'x']],
	[String.raw`/[\s()]+/`]: [[' '], ['(a']],
	[String.raw`/\D/g`]: [['a'], ['1']],
	[String.raw`/^(transparent|#f{6})$/`]: [['f', 'x', '#']],
	[String.raw`/^#([0-5].){3}$/`]: [['00', 'x', '#']],
	[String.raw`/^(FF|00)F{6}/`]: [['F', 'x']],
	[String.raw`/^(FF([0-5].){3}|,1[01]?,|,,,(8|64)?$)/`]: [
		['00', 'x', 'FF'],
		[',', 'x'],
	],
	[String.raw`/\d{2}/`]: [['1a']],
	[String.raw`/^[A-Z]{2}\d{2}[\dA-Z]{11,40}$/`]: [['A', 'x', 'AA11']],
	[String.raw`/^\p{L}[^\s@]*$/u`]: [['a', ' ']],
	[String.raw`/^\S{20,63}$/`]: [['a', ' ']],
	[String.raw`/\d/g`]: [['1']],
	[String.raw`/^[.-]+$/`]: [['.', ' ']],
	[String.raw`/^\d{1,4}\s*[.)-]+\s*/`]: [
		[' ', 'a', '1'],
		['.', 'a', '1'],
		[' ', 'a', '1.'],
	],
	[String.raw`/^\p{L}{2,}\.\s+/u`]: [
		['a', ' '],
		[' ', 'a', 'aa.'],
	],
	[String.raw`/\[\$\$-(?!(?:0*409|en-US)\])[^\]]{1,80}\]/gi`]: [['[$$-'], ['0', '[$$-'], ['a']],
	[String.raw`/apellido|surname|last/i`]: [['apellid'], ['surnam'], ['las']],
	[String.raw`/nombre|first/i`]: [['nombr'], ['firs']],
	// logs/ and operations
	[String.raw`/^[0-9a-f]{64}$/`]: [['a']],
	[String.raw`/^[\w-]+$/`]: [['a', '.']],
	[String.raw`/[^\p{L}\p{N}._-]+/gu`]: [['*'], ['*a']],
	[String.raw`/^(?:\d{10}|\d{13})(?:\.\d{1,9})?$/`]: [['1'], ['1', 'x', '1111111111.']],
	[String.raw`/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)$/`]: [
		['1', '', '2026-11-21T08:00:00.'],
		['2026-11-21 08:00'],
	],
};

const MEGABYTE = 1_000_000;

/** A pattern that takes quadratic time needs minutes. The others need milliseconds, and seconds on a busy machine. */
const HANGS_MS = 20_000;

const nameOf = ({ source, flags }: Pattern) => `/${source}/${flags}`;

const { patterns, constructed } = publishedPatterns();

const names = [...new Set(patterns.map(nameOf))];

describe('regular expressions of the published code', () => {
	test.each(names)('has a worst case for %s', (name) => {
		expect(WORST_CASES[name]).toBeDefined();
	});

	test('has no worst case for a pattern that is gone', () => {
		expect(Object.keys(WORST_CASES).filter((name) => !names.includes(name))).toEqual([]);
	});

	test('are literals, so that each of them is seen here', () => {
		expect(constructed).toEqual([]);
	});

	test.each(
		patterns.flatMap((pattern) =>
			(WORST_CASES[nameOf(pattern)] ?? []).map(
				([part, end = '', start = '']) =>
					[
						JSON.stringify([start, part, end]),
						nameOf(pattern),
						pattern,
						{ part, end, start },
					] as const,
			),
		),
	)(
		'search 1 MB of %s in linear time with %s',
		(_, __, { source, flags }, { part, end, start }) => {
			const text = start + part.repeat(Math.ceil(MEGABYTE / part.length)) + end;
			const all = flags.includes('g') ? flags : `${flags}g`;

			expect(() =>
				runInNewContext(
					'text.replace(new RegExp(source, flags), "")',
					{ text, source, flags: all },
					{ timeout: HANGS_MS },
				),
			).not.toThrow();
		},
	);
});
