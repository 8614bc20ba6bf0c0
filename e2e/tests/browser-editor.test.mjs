import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { ACTION_FORMS } from '../../test/fixtures/conditions.cjs';
import { Editor } from '../harness/editor.mjs';
import { useBrowser } from './browser-support.mjs';
import { CREDENTIAL_TYPE, NODE, NODE_TYPE, partnerPayments, workflowOf } from './support.mjs';
import { serviceWallets, TRIGGER, TRIGGER_TYPE, until } from './trigger-support.mjs';

const isBankPayout = ({ form }) => nameOf(form) === 'payout > createBank';

describe('the editor of a real n8n', () => {
	/** @type {Editor} */
	let editor;

	const { stage, inBrowser, contactsOnlyThisMachine } = useBrowser(
		'browser-editor',
		async ({ n8n }, browser) => {
			const page = await browser.openPage();
			editor = new Editor(page, n8n);
			await editor.signIn();
			return page;
		},
		{ sandboxArgs: ['--state-clock', '0'] },
	);

	/** Opens a workflow of the action node with these parameters, and the node's form. */
	async function openForm(parameters) {
		const { id } = await stage.n8n.createWorkflow(workflowOf(partnerPayments(stage, parameters)));
		await editor.openWorkflow(id);
		await editor.openNode(NODE);
	}

	async function chooseForm({ resource, operation }) {
		await editor.choose('resource', resource);
		await editor.choose('operation', operation);
	}

	/** Opens a workflow with the trigger. */
	async function openTriggerWorkflow(parameters = {}) {
		const { id } = await stage.n8n.createWorkflow({
			name: 'React to events',
			nodes: [
				{
					id: randomUUID(),
					name: TRIGGER,
					type: TRIGGER_TYPE,
					typeVersion: 1.1,
					position: [0, 0],
					webhookId: randomUUID(),
					parameters,
					credentials: {
						[CREDENTIAL_TYPE]: { id: stage.credential.id, name: stage.credential.name },
					},
				},
			],
			connections: {},
		});
		await editor.openWorkflow(id);
		return id;
	}

	describe('finding the node', () => {
		before(async () => {
			const getWallets = { resource: 'wallet', operation: 'getAll' };
			const { id } = await stage.n8n.createWorkflow(workflowOf(partnerPayments(stage, getWallets)));
			await editor.openWorkflow(id);
			await editor.openNodePanel();
		});

		const english = 'payout QR crypto bank balance wallet salary payroll status transaction';
		const spanish = 'pago pagar cobrar transferencia planilla saldo billetera estado transacción';
		for (const text of `${english} ${spanish}`.split(' ')) {
			inBrowser(`types "${text}" into the node panel and sees Partner Payments`, async () => {
				await editor.searchNodes(text);
				await editor.listed('Partner Payments').waitFor();
			});
		}

		inBrowser('clicks Partner Payments and "Create QR deposit", and gets its form', async () => {
			await editor.searchNodes('QR');
			await editor.listed('Partner Payments').click();
			await editor.listed('Create QR deposit').click();
			await editor.form.waitFor();
			assert.equal(await editor.valueOf('resource'), 'Deposit');
			assert.equal(await editor.valueOf('operation'), 'Create QR Deposit');
			// The only credential is selected by default.
			const chosen = editor.credentialChoice.locator('input');
			await until(
				async () => (await chosen.inputValue()) === stage.credential.name,
				'the credential is chosen',
			);
		});
	});

	describe('the credential', () => {
		const says = (text) => editor.credentialForm.getByText(text).waitFor();
		const works = () => editor.credentialTestSuccess.waitFor();

		before(async () => {
			await openForm({ resource: 'wallet', operation: 'getAll' });
			await stage.sandbox.reset();
		});

		inBrowser('enters a wrong password, presses "Save" and reads the error', async () => {
			const { baseUrl, email } = stage.sandbox;
			await editor.newCredential();
			await editor.fillCredential({ baseUrl, email, password: 'not-the-password' });
			await editor.saveCredential();
			await says('Couldn’t connect with these settings');
			await editor.credentialForm.getByText('More details').click();
			await says('The service does not accept this email and password');
			assert.equal((await stage.sandbox.counters()).loginFailures, 1);
		});

		inBrowser('presses "Retry", which asks the service once more', async () => {
			await editor.retryCredentialTest();
			await until(
				async () => (await stage.sandbox.counters()).loginFailures === 2,
				'the service was asked',
			);
			await says('Couldn’t connect with these settings');
		});

		inBrowser('corrects the password and presses "Save" and "Retry", which succeed', async () => {
			await editor.fillCredential({ password: stage.sandbox.password });
			await editor.saveCredential();
			// n8n closes the form of a credential that works.
			await editor.credentialForm.waitFor({ state: 'hidden' });
			await editor.editCredential();
			await works();
			const asked = async () => (await stage.sandbox.requests({ path: '/v2/wallets' })).length;
			const before = await asked();
			await editor.retryCredentialTest();
			await until(async () => (await asked()) > before, 'the service was asked');
			await works();
		});

		inBrowser('does not find the password anywhere on the page', async () => {
			const password = editor.control('password', editor.credentialForm).locator('input');
			assert.equal(await password.getAttribute('type'), 'password');
			// n8n returns a placeholder instead of the saved password.
			assert.notEqual(await password.inputValue(), stage.sandbox.password);
			assert.ok(!(await editor.page.content()).includes(stage.sandbox.password));
			await editor.closeCredential();
		});
	});

	describe('choosing an operation', () => {
		const reads = (name, text) =>
			until(async () => (await editor.valueOf(name)) === text, `${name} reads "${text}"`);

		before(() => openForm({ resource: 'wallet', operation: 'getAll' }));

		inBrowser('chooses each resource and each of its operations', async () => {
			const { properties } = editor.typeOf(NODE_TYPE);
			const resources = properties.find(({ name }) => name === 'resource').options.filter(isOurs);
			assert.equal(resources.length, 9);
			for (const resource of resources) {
				await editor.choose('resource', resource.value);
				const { options: operations } = properties.find(
					({ name, displayOptions }) =>
						name === 'operation' && displayOptions.show.resource.includes(resource.value),
				);
				for (const operation of operations.filter(isOurs)) {
					await editor.choose('operation', operation.value);
					await reads('resource', resource.name);
					await reads('operation', operation.name);
				}
			}
		});
	});

	describe('fields that depend on others', () => {
		it('are all in the table of conditions', () => {
			const action = editor.typeOf(NODE_TYPE);
			for (const { form, conditions } of ACTION_FORMS) {
				const own = action.properties.filter(({ displayOptions: { show = {} } = {} }) =>
					Object.entries(form).every(([name, value]) => show[name]?.includes(value)),
				);
				assert.deepEqual(namesIn(conditions), conditionalNames(own), nameOf(form));
			}
		});

		describe('of the action node', () => {
			before(() => openForm({ resource: 'wallet', operation: 'getAll' }));

			// That the editor follows the conditions; test/engine/form tries those of all forms.
			for (const { form, conditions } of ACTION_FORMS.filter(isBankPayout)) {
				describe(nameOf(form), () => {
					before(() => chooseForm(form));
					tryConditions(conditions);
				});
			}

			inBrowser('requires lastName in payout > createBank only for individual', async () => {
				await chooseForm({ resource: 'payout', operation: 'createBank' });
				await editor.addEntry('Add Option', 'Payee: Entity Type');
				for (const [entityType, state] of /** @type {const} */ ([
					['individual', 'visible'],
					['company', 'hidden'],
					['individual', 'visible'],
				])) {
					await editor.choose('entityType', entityType);
					await editor.issue('lastName').waitFor({ state });
				}
			});
		});
	});

	describe('picking a wallet', () => {
		before(() => openForm({ resource: 'payout', operation: 'createCrypto' }));

		inBrowser('opens the list of wallets, searches it and pays from the clicked one', async () => {
			await editor.openList('walletId');
			assert.equal(await editor.listEntries.count(), 2);
			await editor.searchList('tron');
			await until(async () => (await editor.listEntries.count()) === 1, 'the list is filtered');
			await editor.listEntries.getByText('USDT on TRON').click();
			await editor.choose('blockchain', 'TRON');
			await editor.choose('asset', 'USDT');
			await editor.fill('destinationWallet', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8');
			await editor.fill('amount', '12.5');
			// Its first choice is Given.
			await editor.addEntry('Add Option', 'Reference: Source');
			await editor.addEntry('Add Option', 'Reference: External Reference');
			await editor.fill('externalReference', 'picked-from-the-list');

			const execution = await editor.executeNode();
			assert.equal(execution.status, 'success', execution.error?.message);
			const [payout] = await stage.sandbox.transactions({ reference: 'picked-from-the-list' });
			const [, tron] = await serviceWallets(stage);
			assert.equal(payout.request.walletId, tron.walletId);
			assert.equal(payout.request.amount, '12.5');
		});
	});

	describe('a QR deposit', () => {
		before(() => openForm({ resource: 'deposit', operation: 'createQr' }));

		inBrowser('fills in the form, presses "Execute step" and sees the QR code', async () => {
			await editor.fill('fiatAmount', '150.50');
			await editor.fill('referenceId', 'order-2026-0042');
			const execution = await editor.executeNode();
			assert.equal(execution.status, 'success', execution.error?.message);
			await editor.openBinary();

			const image = editor.output.locator('img');
			await image.evaluate((img) => img.decode());
			const shown = await image.evaluate(async ({ src, naturalWidth }) => ({
				width: naturalWidth,
				bytes: [...new Uint8Array(await (await fetch(src)).arrayBuffer())],
			}));
			assert.ok(shown.width > 100);
			// It is the QR code of this deposit.
			const [deposit] = await stage.sandbox.transactions({ reference: 'order-2026-0042' });
			const own = await fetch(`${stage.sandbox.consoleUrl}/qr/${deposit.id}`);
			assert.ok(Buffer.from(shown.bytes).equals(Buffer.from(await own.arrayBuffer())));
		});

		inBrowser(
			'presses "Execute step" again and reads that the reference was already used',
			async () => {
				const execution = await editor.executeNode();
				assert.equal(execution.status, 'error');
				await editor.output.getByText('order-2026-0042').first().waitFor();
				assert.equal(
					(await stage.sandbox.transactions({ reference: 'order-2026-0042' })).length,
					1,
				);
			},
		);
	});

	describe('a workflow that a trigger starts', () => {
		inBrowser('presses "Publish" and sees the execution of a completed transaction', async () => {
			// The first poll would start another execution, with the event that was delivered.
			const id = await openTriggerWorkflow({ checkForMissedEvents: 'never' });
			await editor.publish();
			const deposit = await stage.sandbox.admin('POST', '/crypto-deposits', {
				amount: '5.5',
				asset: 'USDC',
				blockchain: 'Polygon',
			});
			await stage.sandbox.admin('POST', `/transactions/${deposit.id}/status`, {
				status: 'completed_transaction',
			});

			await editor.openExecutions();
			await editor.executions.getByText('Succeeded').waitFor();
			assert.equal(await editor.executions.count(), 1);
			const [{ id: executionId }] = await stage.n8n.listExecutions(id);
			const [event] = (await stage.n8n.waitForExecution(executionId)).json(TRIGGER);
			assert.equal(event.details.transactionId, deposit.id);
		});
	});

	describe('the network', () => contactsOnlyThisMachine());

	/** Adds a test for each parameter that others depend on. It chooses each value and checks which fields are visible. */
	function tryConditions(conditions) {
		for (const { parameter, shows } of conditions) {
			const summary = Object.entries(shows).map(
				([value, names]) => `${value} shows ${names.join(', ') || 'nothing more'}`,
			);
			inBrowser(`chooses each ${parameter}: ${summary.join('; ')}`, async () => {
				const [first, ...others] = Object.keys(shows);
				for (const value of [...others, first]) {
					await editor.choose(parameter, value);
					const shown = shows[value];
					const hidden = Object.values(shows)
						.flat()
						.filter((name) => !shown.includes(name));
					for (const name of shown) await editor.part(name).waitFor();
					for (const name of hidden) await editor.part(name).waitFor({ state: 'hidden' });
				}
			});
		}
	}
});

/** n8n adds an option that points to its HTTP Request node. */
function isOurs({ value }) {
	return value !== '__CUSTOM_API_CALL__';
}

function nameOf({ resource, operation }) {
	return `${resource} > ${operation}`;
}

function namesIn(conditions) {
	return uniqueSorted(conditions.flatMap(({ shows }) => Object.values(shows).flat()));
}

/** The parameters with conditions on others than resource, operation and options. */
function conditionalNames(properties) {
	return uniqueSorted(
		properties
			.filter(({ displayOptions: { show = {}, hide = {} } = {} }) =>
				Object.keys({ ...show, ...hide }).some(
					(name) =>
						!['resource', 'operation', '@version'].includes(name) && !name.startsWith('/options.'),
				),
			)
			.map(({ name }) => name),
	);
}

function uniqueSorted(names) {
	return [...new Set(names)].sort();
}
