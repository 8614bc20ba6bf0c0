/** Makes `dist` from the sources: the code, and what else n8n reads. */
const { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { dest, parallel, series, src } = require('gulp');
const { format } = require('prettier');
const { rollup } = require('rollup');
const { require: load } = require('tsx/cjs/api');
const ts = require('typescript');
const { n8n } = require('./package.json');

/** Where n8n looks for the classes. */
const CLASS_FILES = [...n8n.nodes, ...n8n.credentials];

/** The first modules of the bundle: in this order, which trying has found, it compresses best. */
const FIRST = [
	'nodes/report/style',
	'nodes/service/messages',
	'nodes/report/reconcileTexts',
	'nodes/batch/messages',
	'nodes/PartnerPayments/operations/messages',
	'nodes/PartnerPaymentsTrigger/messages',
	'nodes/batch/readingTexts',
	'nodes/fields/messages',
	'nodes/fields/headerAliases',
	'nodes/fields/keccak',
	'nodes/fields/validators',
	'nodes/logs/callbackSecret',
	'nodes/fields/personNames',
	'nodes/report/html',
	'nodes/logs/event',
	'nodes/batch/volatileExpressions',
	'nodes/service/baseUrl',
	'nodes/service/responses',
	'nodes/batch/yieldRegularly',
	'nodes/service/readBody',
	'nodes/batch/expressions',
	'nodes/batch/rateLimiter',
	'nodes/service/readBackoff',
	'nodes/service/login',
	'nodes/ledger/executionState',
	'nodes/service/transport',
	'nodes/ledger/idempotencyStore',
	'credentials/PartnerPaymentsApi.credentials',
	'nodes/batch/heldBack',
	'nodes/PartnerPaymentsTrigger/deduplication',
	'nodes/batch/dailyLimit',
	'nodes/batch/fingerprint',
	'nodes/batch/options',
	'nodes/batch/form',
	'nodes/PartnerPayments/operations/operation',
	'nodes/batch/costs',
	'nodes/PartnerPayments/resources/transaction/lookup',
	'nodes/batch/payment',
	'nodes/batch/verifyResponse',
	'nodes/batch/inputResult',
	'nodes/batch/markedRows',
	'nodes/batch/misreadFile',
	'nodes/batch/reference',
	'nodes/batch/rivalColumns',
	'nodes/report/csv',
	'nodes/batch/fileTotals',
	'nodes/batch/parseRows',
	'nodes/report/page',
	'nodes/batch/runBatch',
	'nodes/PartnerPaymentsTrigger/load',
	'nodes/PartnerPaymentsTrigger/deliveries',
	'nodes/PartnerPaymentsTrigger/repair',
	'nodes/PartnerPaymentsTrigger/window',
	'nodes/PartnerPaymentsTrigger/sharedCredentials',
	'nodes/PartnerPaymentsTrigger/emit',
	'nodes/logs/transactionSearch',
	'nodes/PartnerPaymentsTrigger/receive',
	'nodes/PartnerPayments/operations/moneyOperation',
	'nodes/PartnerPaymentsTrigger/registration',
	'nodes/PartnerPayments/resources/payout/createBank',
	'nodes/PartnerPayments/resources/wallet/get',
	'nodes/PartnerPayments/resources/payout/createQr',
	'nodes/PartnerPayments/resources/deposit/createQr',
	'nodes/PartnerPayments/resources/businessClient/create',
	'nodes/PartnerPayments/resources/wallet/index',
	'nodes/PartnerPayments/resources/payout/index',
	'nodes/PartnerPayments/listSearch/lists',
	'nodes/PartnerPayments/resources/businessClient/get',
	'nodes/PartnerPayments/resources/transaction/reconcile',
	'nodes/PartnerPayments/resources/transaction/createReport',
	'nodes/PartnerPayments/resources/quote/index',
	'nodes/PartnerPayments/resources/webhook/get',
	'nodes/PartnerPayments/resources/webhook/getAll',
	'nodes/PartnerPayments/resources/webhook/index',
	'nodes/PartnerPayments/resources/account/index',
	'nodes/PartnerPayments/resources/transaction/getStatus',
];

/** The module that imports all others. */
const ENTRY = 'entry';

const { compilerOptions } = ts.readConfigFile('tsconfig.json', ts.sys.readFile).config;

/** Finds the sources, and compiles them as `tsconfig.json` says. */
const compiler = {
	resolveId(id, importer) {
		if (id === ENTRY) return id;
		if (!id.startsWith('.')) return { id, external: true };
		const file = path.resolve(importer === ENTRY ? __dirname : path.dirname(importer), id);
		return [`${file}.ts`, path.join(file, 'index.ts')].find(existsSync);
	},
	load(id) {
		if (id === ENTRY) return entry();
		return ts.transpileModule(readFileSync(id, 'utf8'), {
			compilerOptions: { ...compilerOptions, module: 'es2022' },
		}).outputText;
	},
};

/** What n8n loads. */
function entry() {
	const source = (file) => file.replace(/^dist\/(.*)\.js$/, './$1');
	return [
		...FIRST.map((first) => `import './${first}';`),
		...CLASS_FILES.map((file) => `export { ${className(file)} } from '${source(file)}';`),
	].join('\n');
}

/** Like the sources, but for longer lines, and without spaces inside braces: both take room. */
const STYLE = {
	parser: 'babel',
	useTabs: true,
	singleQuote: true,
	printWidth: 320,
	objectWrap: 'collapse',
	bracketSpacing: false,
	arrowParens: 'avoid',
};

/**
 * All code in one file, which is not minified: only a name that two modules use gets a number. A file for each module
 * would make the package larger than it may be.
 */
async function code() {
	rmSync('dist', { recursive: true, force: true });
	const bundle = await rollup({ input: ENTRY, plugins: [compiler] });
	const { output } = await bundle.generate({
		format: 'cjs',
		generatedCode: { constBindings: true },
	});
	mkdirSync('dist');
	writeFileSync('dist/code.js', await format(output[0].code, STYLE));
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

/**
 * The fields of every output, which the editor offers before a node has run. The code does not need them: the file of
 * each endpoint exports them for this.
 */
async function schemas() {
	const { RESOURCES } = load('./nodes/PartnerPayments/resources', __filename);
	for (const { value: resource, operations } of RESOURCES) {
		for (const { value: operation } of operations) {
			const name = `${resource}/${operation}`;
			const { OUTPUT } = load(`./nodes/PartnerPayments/resources/${name}`, __filename);
			writeSchema('PartnerPayments', `v1.0.0/${name}`, OUTPUT);
		}
	}
	const { EVENT } = load('./nodes/logs/event', __filename);
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
