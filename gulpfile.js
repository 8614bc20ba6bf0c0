const { mkdirSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { dest, parallel, src } = require('gulp');

/** What n8n reads beside the compiled classes: icons, the codex files of the node panel, output schemas. */
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const codex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));

/** The fields of every output, which the editor offers before a node has run. */
async function schemas() {
	const { RESOURCES } = require('./dist/nodes/PartnerPayments/resources');
	const { EVENT } = require('./dist/nodes/events/event');
	for (const { value: resource, operations } of RESOURCES) {
		for (const { value: operation, output } of operations) {
			writeSchema('PartnerPayments', `v1.0.0/${resource}/${operation}`, output);
		}
	}
	for (const version of ['v1.0.0', 'v1.1.0']) writeSchema('PartnerPaymentsTrigger', version, EVENT);
}

function writeSchema(node, name, shape) {
	const { toJsonSchema } = require('./dist/nodes/fields/outputShape');
	const file = path.join(__dirname, 'dist/nodes', node, '__schema__', `${name}.json`);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, JSON.stringify(toJsonSchema(shape)));
}

exports.build = parallel(icons, codex, schemas);
