import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { readExample, tableRows } from '../harness/examples.mjs';
import { useStage } from './support.mjs';
import {
	allExecutions,
	drain,
	publish,
	send,
	startAgain,
	until,
	withdrawal,
} from './trigger-support.mjs';

const stage = useStage('trigger-examples', { sandboxArgs: ['--state-clock', '0'] });

/** Imports an example, runs its setup, which creates the table, and publishes it. */
async function startExample(name) {
	const { id } = await stage.n8n.createWorkflow(readExample(name, stage));
	const setup = await stage.n8n.runWorkflow(id);
	assert.equal(setup.status, 'success', setup.error?.message);
	await publish(stage.n8n, id);
	return id;
}

const rowOf = async (table, column, value) => {
	const found = (await tableRows(stage.n8n, table)).filter((row) => row[column] === value);
	assert.ok(found.length <= 1, `${found.length} rows of ${value}`);
	return found[0];
};

describe('the example "React to completed transactions"', () => {
	before(() => startExample('react-to-completed-transactions'));

	it('keeps one row for each transaction', async () => {
		const completed = withdrawal();
		const { transactionId } = completed.details;
		await send(stage, completed);
		await send(stage, completed);
		const row = await until(
			() => rowOf('partner_transactions', 'transaction_id', transactionId),
			'the row is there',
		);
		assert.equal(row.status, 'completed_transaction');
		assert.equal(row.amount, completed.details.amount);
		assert.equal(row.reference, completed.externalReference);

		// The service changed the status: the same row changes.
		await send(stage, withdrawal({ status: 'failed_transaction', details: { transactionId } }));
		await until(async () => {
			const changed = await rowOf('partner_transactions', 'transaction_id', transactionId);
			return changed.status === 'failed_transaction';
		}, 'the row has changed');
	});
});

describe('the example "Backfill missed events"', () => {
	it('handles the events that n8n missed while it was down', async () => {
		await stage.sandbox.reset();
		await startExample('backfill-missed-events');
		await stage.sandbox.change({ deliveryRetries: 0 });
		await stage.n8n.stop();
		const missed = Array.from({ length: 5 }, () => withdrawal());
		for (const event of missed) await send(stage, event);
		await drain(stage);
		await startAgain(stage);
		for (const { details } of missed) {
			await until(
				() => rowOf('partner_transactions', 'transaction_id', details.transactionId),
				'the missed event was handled',
			);
		}
	});
});

describe('the example "QR checkout"', () => {
	it('shows the QR code, and the confirmation after the deposit is completed', async () => {
		const { sandbox } = stage;
		await sandbox.reset();
		const { id } = await stage.n8n.createWorkflow(readExample('qr-checkout', stage));
		await publish(stage.n8n, id);
		const { nodes } = await stage.n8n.rest('GET', `/workflows/${id}`);
		const form = nodes.find(({ type }) => type.endsWith('.formTrigger'));

		const formPath = `/form/${form.webhookId}`;
		const page = await (await stage.n8n.fetch(formPath)).text();
		for (const label of ['Name', 'Email', 'Amount in BOB']) assert.ok(page.includes(label), label);

		const order = new FormData();
		for (const [index, value] of ['Ana Quispe', 'ana@example.com', '150.5'].entries()) {
			order.set(`field-${index}`, value);
		}
		const submitted = await stage.n8n.fetch(formPath, { method: 'POST', body: order });
		assert.equal(submitted.status, 200);
		const { formWaitingUrl } = /** @type {any} */ (await submitted.json());
		// The form's script waits for the last page, which redirects the customer.
		await until(async () => {
			const executions = await allExecutions(stage.n8n, id);
			return executions.some(({ status }) => status === 'waiting');
		}, 'the form has ended');
		const ending = (await (await fetch(formWaitingUrl)).text()).replaceAll('&#x3D;', '=');
		const [statusUrl] = /http[^"'\s]*\?order=[\w-]+/.exec(ending) ?? [];
		assert.ok(statusUrl);

		const [transaction] = await sandbox.transactions();
		assert.equal(transaction.request.fiatAmount, 150.5);
		const pageIn = async (language, url = statusUrl) =>
			await (await fetch(url, { headers: { 'accept-language': language } })).text();
		const waiting = await fetch(statusUrl);
		assert.match(waiting.headers.get('content-type') ?? '', /text\/html/);
		const html = await waiting.text();
		assert.match(html, /Please scan and pay/);
		assert.match(html, /http-equiv="refresh"/);
		const [, png] = /src="data:image\/png;base64,([\w+/=]+)"/.exec(html) ?? [];
		assert.equal(Buffer.from(png, 'base64').subarray(1, 4).toString(), 'PNG');
		// A phone can save the code that it can't scan.
		assert.ok(
			html.includes(`download="${transaction.reference}.png" href="data:image/png;base64,${png}"`),
		);
		const spanish = await pageIn('es-BO,es;q=0.9,en;q=0.8');
		assert.match(spanish, /<html lang="es">.*Escanea y paga.*Guardar el código QR/s);

		await sandbox.admin('POST', `/deposits/${transaction.id}/pay`, {});
		await until(
			async () => /Thank you!.*150\.50/s.test(await (await fetch(statusUrl)).text()),
			'the payment is confirmed',
		);
		assert.match(await pageIn('es'), /¡Gracias!.*150\.50/s);
		const unknown = statusUrl.replace(/order=.*/, `order=${randomUUID()}`);
		assert.match(await (await fetch(unknown)).text(), /There is no such order/);
		assert.match(await pageIn('es', unknown), /No existe ese pedido/);
	});
});
