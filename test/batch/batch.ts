import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { type Fault } from '../../sandbox/faults';
import { logLines } from '../engine/log';
import { NODE_NAME, type RunResult } from '../engine/runNode';
import { type TestService } from '../engine/service';
import { BANK_PATH, bankRow } from '../fixtures/rows.cjs';

export { bankBody, bankRow, bankRows, referenceOf, references } from '../fixtures/rows.cjs';

export const PATH = {
	bank: BANK_PATH,
	crypto: '/v2/transactions/payouts/crypto',
	qrPayout: '/v2/transactions/payouts/qr',
	qrDeposit: '/v2/transactions/deposit/qr',
} as const;

export const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

/** The two settings that hand on what did not succeed instead of stopping. */
export const GOING_ON = ['continueRegularOutput', 'continueErrorOutput'] as const;

/** A bank payout per input item, with the values in columns. */
export const BANK: INodeParameters = {
	resource: 'payout',
	operation: 'createBank',
	mappingMode: 'autoMapInputData',
	referenceSource: 'given',
};

/** The same with expressions in place of columns. */
export const FIELDS: INodeParameters = {
	...BANK,
	mappingMode: 'defineBelow',
	externalReference: '={{ $json.external_reference }}',
	fundingSource: 'balance',
	firstName: 'Ana',
	lastName: 'Flores',
	destinationIdNumber: '={{ $json.destination_id_number }}',
	bankCode: '0010',
	destinationAccount: '={{ $json.destination_account }}',
	amount: '={{ $json.amount }}',
	currencyType: 'BOB',
	description: 'Salary',
};

/** The same with further options. */
export const bank = (options: IDataObject, more: INodeParameters = {}): INodeParameters => ({
	...BANK,
	...more,
	options: options as INodeParameters,
});

/** One operation of each kind, with rows for its columns. */
export interface Kind {
	name: string;
	path: string;
	parameters: INodeParameters;
	/** The column of the reference, in the input and in the request. */
	reference: string;
	row: (number: number, service: TestService) => IDataObject;
	/** A column and an invalid value. */
	bad: IDataObject;
}

const EVM_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Every operation that moves money. */
export const KINDS: Kind[] = [
	{
		name: 'bank payout',
		path: PATH.bank,
		parameters: BANK,
		reference: 'external_reference',
		row: (number) => bankRow(number),
		bad: { amount: '-1' },
	},
	{
		name: 'crypto payout',
		path: PATH.crypto,
		parameters: { ...BANK, operation: 'createCrypto' },
		reference: 'externalReference',
		row: (number, service) => ({
			walletId: [...service.business.wallets.keys()][0],
			destinationWallet: EVM_ADDRESS,
			amount: `${number + 1}.25`,
			asset: 'USDC',
			blockchain: 'Polygon',
			externalReference: `crypto-${number}`,
		}),
		bad: { amount: '0' },
	},
	{
		name: 'QR payout',
		path: PATH.qrPayout,
		parameters: { ...BANK, operation: 'createQr' },
		reference: 'external_reference',
		row: (number) => ({
			image: `content of QR code ${number}`,
			external_reference: `qr-${number}`,
			asset_deposit: 'USDC',
			blockchain: 'Polygon',
			funding_source: 'conversion',
			amount: number + 0.5,
		}),
		bad: { blockchain: 'Bitcoin' },
	},
	{
		name: 'QR deposit',
		path: PATH.qrDeposit,
		parameters: { ...BANK, resource: 'deposit', operation: 'createQr' },
		reference: 'referenceId',
		row: (number) => ({
			fiatCurrency: 'BOB',
			referenceId: `order-${number}`,
			country: 'BO',
			fundingSource: 'balance',
			fiatAmount: number + 10.25,
		}),
		bad: { country: 'AR' },
	},
];

export const rowsOf = (kind: Kind, count: number, service: TestService): IDataObject[] =>
	Array.from({ length: count }, (_, number) => kind.row(number, service));

/** What the node says of a row, wherever it says it. */
export interface Reported {
	item: number;
	outcome: 'created' | 'ready' | 'rejected' | 'unknown' | 'notSent' | 'alreadySent' | 'conflict';
	code?: string;
	reference: string;
	transactionId: string;
	status: string;
	message: string;
	hint?: string;
	httpStatus?: number;
}

/** What it calls the bank payout of an item. */
export function rowName(item: number, changes: IDataObject = {}): string {
	const row = bankRow(item, changes);
	const money = Number(row.amount) > 0 && `${Number(row.amount).toFixed(2)} ${row.currency_type}`;
	const name = `${row.first_name} ${row.last_name}`;
	return [`Row ${item + 1}`, name, ...(money ? [money] : [])].join(', ');
}

/** Every row as the node reported it: in its outputs, or in the error that stopped the execution. */
export function reported({ error, outputs }: RunResult): Reported[] {
	if (error) return ((error as { context?: IDataObject }).context?.rows ?? []) as never;
	return outputs
		.flatMap((items) =>
			items.map(({ json, pairedItem }) => ({
				...((typeof json.error === 'object' ? json.error : json) as object),
				item: (pairedItem as { item: number }).item,
			})),
		)
		.sort((a, b) => a.item - b.item) as Reported[];
}

/** The description of an error, line by line, without the marks of a list that it is shown by. */
export const descriptionLines = (error: unknown): string[] =>
	String((error as { description?: unknown }).description)
		.split('\n')
		.map((line) => line.replace(/^<li>(.*)<\/li>$/s, '$1'))
		.filter((line) => !/^<\/?ul>$/.test(line));

/** The outcomes in the order of the rows. */
export const outcomes = (result: RunResult): string[] =>
	reported(result).map(({ outcome }) => outcome);

/** References of the transactions that the sandbox holds, in the order in which it created them. */
export const created = (service: TestService): string[] =>
	[...service.sandbox.core.state.transactions.values()].map(({ reference }) => String(reference));

/** Transaction identifiers by reference, as the sandbox gave them. */
export const transactionIds = (service: TestService): Map<string, string> =>
	new Map(
		[...service.sandbox.core.state.transactions.values()].map(({ id, reference }) => [
			String(reference),
			id,
		]),
	);

/** References of the payments that the sandbox received, created or not, in the order of arrival. */
export const posted = (service: TestService): string[] =>
	service
		.sent()
		.filter(({ method }) => method === 'POST')
		.map(({ body }) => {
			const { external_reference, externalReference, referenceId } = body as IDataObject;
			return String(external_reference ?? externalReference ?? referenceId);
		});

/** Lets the sandbox do something to the payment with a reference, once by default. */
export function strike(
	service: TestService,
	reference: string,
	fault: Fault,
	times: number | 'always' = 1,
): void {
	service.sandbox.core.faults.add({
		match: { method: 'POST', path: '/v*/transactions/*', bodyContains: `"${reference}"` },
		times,
		fault,
	});
}

/** Resolves when so many payments are in flight or answered at the sandbox. */
export async function untilSent(service: TestService, count: number): Promise<void> {
	const { faults } = service.sandbox.core;
	const planFor = faults.planFor.bind(faults);
	let seen = 0;
	await new Promise<void>((resolve) => {
		faults.planFor = (request) => {
			const verdict = planFor(request);
			if (request.visit.path.includes('/transactions/') && ++seen === count) resolve();
			return verdict;
		};
	});
	faults.planFor = planFor;
}

/**
 * Lets requests time out soon, where the node itself waits for a minute.
 *
 * @param of only requests with this text in their body: on a busy machine others need their time
 */
export function hurry(service: TestService, milliseconds: number, of = ''): void {
	const { credentials } = service;
	const authenticate = credentials.authenticate.bind(credentials);
	credentials.authenticate = async (...parameters) => {
		const request = await authenticate(...parameters);
		const isMeant = JSON.stringify(request.body ?? '').includes(of);
		return isMeant ? { ...request, timeout: milliseconds } : request;
	};
}

/** What a node says that has sent nothing before. */
export const STORE_EMPTY = /^This node has sent nothing before\. /;

/** Texts that the node shows above its output, without the one about an empty store. */
export const hints = (result: RunResult, name = NODE_NAME): string[] =>
	allHints(result, name).filter((hint) => !STORE_EMPTY.test(hint));

export const allHints = ({ run }: RunResult, name = NODE_NAME): string[] =>
	(run.data.resultData.runData[name] ?? []).flatMap((task) =>
		(task.hints ?? []).map(({ message }) => message),
	);

/** What the node keeps with the execution, for further tries of it. */
export interface Kept {
	/** By reference. */
	payments: Record<string, IDataObject>;
	/** By run and item: the reference. */
	items: Record<string, string>;
	/** By transaction: the reference. */
	transactions: Record<string, string>;
}

export function kept({ run }: RunResult, name = NODE_NAME): Kept {
	const context = run.data.executionData?.contextData[`node:${name}`] ?? {};
	// By endpoint: a node has one.
	const [own] = Object.values(context) as Array<Partial<Kept>>;
	return { payments: {}, items: {}, transactions: {}, ...own };
}

/** The outcomes that are kept with the execution, by reference. */
export const keptOutcomes = (result: RunResult, name = NODE_NAME): Record<string, unknown> =>
	Object.fromEntries(
		Object.values(kept(result, name).payments).map(({ reference, outcome }) => [
			reference,
			outcome,
		]),
	);

/** Log lines that were written since the call. */
export function listen(): () => string[] {
	const from = logLines.length;
	return () => logLines.slice(from);
}
