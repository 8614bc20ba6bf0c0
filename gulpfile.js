/** Makes `dist` from the sources: the code, and what else n8n reads. */
const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { build } = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
const ts = require('typescript');
const { n8n } = require('./package.json');

/** Where n8n looks for the classes. */
const CLASS_FILES = [...n8n.nodes, ...n8n.credentials];

/** The first modules of the bundle: in this order, which trying has found, it compresses best. */
const FIRST = [
	'nodes/report/style',
	'nodes/payments/messages',
	'nodes/PartnerPayments/operations/messages',
	'nodes/PartnerPaymentsTrigger/messages',
	'nodes/report/reconcileTexts',
	'nodes/fields/messages',
	'nodes/payments/readingTexts',
	'nodes/fields/validators',
	'nodes/report/html',
	'nodes/webhooks/event',
	'nodes/fields/parameters',
	'nodes/payments/volatileExpressions',
	'nodes/service/responses',
	'nodes/payments/expressions',
	'nodes/service/login',
	'nodes/state/executionState',
	'nodes/service/transport',
	'nodes/state/idempotencyStore',
	'nodes/payments/flags',
	'nodes/webhooks/callbackSecret',
	'nodes/PartnerPaymentsTrigger/deduplication',
	'nodes/payments/concurrency',
	'nodes/payments/dailyLimit',
	'nodes/payments/options',
	'nodes/payments/form',
	'nodes/payments/inputResult',
	'nodes/payments/verifyResponse',
	'nodes/fields/personNames',
	'nodes/payments/misreadFile',
	'nodes/payments/markedRows',
	'nodes/payments/reference',
	'nodes/payments/rivalColumns',
	'nodes/payments/fileTotals',
	'nodes/payments/parseRows',
	'nodes/payments/costs',
	'nodes/report/figures',
	'nodes/payments/runBatch',
	'nodes/PartnerPaymentsTrigger/receive',
	'nodes/PartnerPaymentsTrigger/registration',
	'nodes/PartnerPayments/resources/payout/createBank',
	'nodes/PartnerPayments/resources/payout/createQr',
	'nodes/PartnerPayments/resources/businessClient/shared',
	'nodes/PartnerPayments/resources/deposit/createQr',
	'nodes/report/page',
	'nodes/PartnerPayments/resources/payout/fundConversions',
	'nodes/PartnerPayments/resources/businessClient/getAll',
	'nodes/PartnerPayments/resources/wallet/addAsset',
	'nodes/PartnerPayments/resources/transaction/createReport',
	'nodes/PartnerPayments/resources/transaction/lookup',
	'nodes/PartnerPayments/resources/quote/getAll',
	'nodes/PartnerPayments/listSearch/lists',
	'nodes/PartnerPayments/resources/wallet/get',
	'nodes/PartnerPayments/resources/transaction/getStatus',
	'nodes/PartnerPayments/resources/businessClient/index',
	'nodes/PartnerPayments/resources/transaction/reconcile',
	'nodes/PartnerPayments/resources/transaction/getAll',
];

/** What the schemas are made of. */
const SCHEMA_SOURCES = [
	['RESOURCES', './nodes/PartnerPayments/resources'],
	['EVENT', './nodes/webhooks/event'],
];

/** Compiles as `tsconfig.json` says: esbuild itself would keep the comments in classes and objects. */
const compiler = {
	name: 'typescript',
	setup({ onLoad }) {
		const { compilerOptions } = ts.readConfigFile('tsconfig.json', ts.sys.readFile).config;
		onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
			const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
				compilerOptions: { ...compilerOptions, module: 'es2022' },
			});
			return { contents: outputText };
		});
	},
};

/**
 * All code in one file, which is not minified: only a name that two modules use gets a number. A file for each module
 * would make the package larger than it may be.
 */
async function code() {
	rmSync('dist', { recursive: true, force: true });
	const exported = CLASS_FILES.map((file) => [
		className(file),
		file.replace(/^dist\/(.*)\.js$/, './$1'),
	]);
	exported.push(...SCHEMA_SOURCES);
	await build({
		stdin: {
			contents: [
				...FIRST.map((source) => `import './${source}';`),
				...exported.map(([name, source]) => `import { ${name} } from '${source}';`),
				`module.exports = { ${exported.map(([name]) => name).join(', ')} };`,
			].join('\n'),
			resolveDir: __dirname,
		},
		outfile: 'dist/code.js',
		bundle: true,
		platform: 'node',
		banner: { js: "'use strict';" },
		charset: 'utf8',
		external: ['n8n-workflow'],
		plugins: [compiler],
	});
	for (const file of CLASS_FILES) {
		mkdirSync(path.dirname(file), { recursive: true });
		const name = className(file);
		const to = path.relative(path.dirname(file), 'dist/code.js');
		writeFileSync(file, `const { ${name} } = require('${to}');\nmodule.exports = { ${name} };\n`);
	}
}

/** A class has the name of its file. */
const className = (file) => path.basename(file).split('.')[0];

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

/** The files that describe the nodes in n8n's node panel, without white space. */
async function codex() {
	for (const file of n8n.nodes) {
		const source = file.replace(/^dist\/(.*)$/, '$1on');
		writeFileSync(`${file}on`, JSON.stringify(JSON.parse(readFileSync(source, 'utf8'))));
	}
}

/** The fields of every output, which the editor offers before a node has run. */
async function schemas() {
	const { RESOURCES, EVENT } = require('./dist/code.js');
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

exports.default = series(code, parallel(icons, codex, schemas));
