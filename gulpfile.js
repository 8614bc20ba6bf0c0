/** Adds to `n8n-node build`, which compiles and copies icons, what else n8n reads. */
const { mkdirSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { dest, parallel, src } = require('gulp');

/** The files that describe the nodes in n8n's node panel. */
const codex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));

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

exports.default = parallel(codex, schemas);
