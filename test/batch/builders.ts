import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { digest, ExecutionState } from '../../nodes/ledger/executionState';
import { NEVER_SENT, type Intent, type Known } from '../../nodes/ledger/ledger';
import { createQr as createQrDeposit } from '../../nodes/PartnerPayments/resources/deposit/createQr';
import { createBank } from '../../nodes/PartnerPayments/resources/payout/createBank';
import { createCrypto } from '../../nodes/PartnerPayments/resources/payout/createCrypto';
import { createQr } from '../../nodes/PartnerPayments/resources/payout/createQr';
import type { BatchContext } from '../../nodes/batch/batchContext';
import type { MoneyEndpoint } from '../../nodes/batch/endpoint';
import type { Facts } from '../../nodes/batch/facts';
import type { Row } from '../../nodes/batch/payment';
import { type BatchOptions, type PayAgainRequests } from '../../nodes/batch/options';

/** What tests share that ask single files of nodes/payments, without an engine. */

// The operations as what they are made of.
jest.mock('../../nodes/PartnerPayments/operations/moneyOperation', () => ({
	moneyOperation: (endpoint: unknown) => endpoint,
}));

export const BANK = createBank as unknown as MoneyEndpoint;
export const CRYPTO = createCrypto as unknown as MoneyEndpoint;
/** Its amount may be unknown. */
export const QR = createQr as unknown as MoneyEndpoint;
export const DEPOSIT = createQrDeposit as unknown as MoneyEndpoint;

/** What n8n gives a node: here, what it keeps with the execution. */
export function contextOf(
	executionId = '1',
	{ stored = {}, run = 0 }: { stored?: IDataObject; run?: number } = {},
): IExecuteFunctions {
	return {
		getInputData: () => Array.from({ length: 20 }, () => ({ json: {} })),
		getContext: () => stored,
		evaluateExpression: () => run,
		getExecutionCancelSignal: () => undefined,
		getExecutionId: () => executionId,
		getMode: () => 'manual',
	} as unknown as IExecuteFunctions;
}

/** The state of an execution that has sent nothing yet. */
export const executionState = (context = contextOf()): ExecutionState =>
	new ExecutionState(context, 'scope');

/** A payment that was sent for an item, whatever it is. */
export const sentOf = (reference: string, item: number) => ({
	reference,
	item,
	material: '',
	requestDigest: digest({}),
});

/** What a test sets of a batch; the rest is as if the user had set nothing. */
export type BatchParts = Omit<Partial<BatchContext>, 'options'> & {
	options?: Partial<BatchOptions>;
};

export function batchOf({ options, ...parts }: BatchParts = {}): BatchContext {
	const { context = contextOf(), state = executionState(context) } = parts;
	return {
		context,
		endpoint: BANK,
		continueOnFail: false,
		isTool: false,
		state,
		isGenerated: false,
		areLogsRead: false,
		hints: [],
		yieldNow: async () => await Promise.resolve(),
		...parts,
		options: {
			ifAlreadySent: 'skip',
			referencesToPayAgain: NO_REQUESTS,
			duplicatePayments: 'reject',
			accountChanges: 'report',
			language: 'en',
			...options,
		} as unknown as BatchOptions,
	};
}

/** What a ledger knows of payments: those with these keys were created with the same money, unless told. */
export function knownOf(
	asked: Intent[],
	keys: readonly string[],
	reads: Known['reads'] = 'alreadySent',
): Map<string, Known> {
	return new Map(
		asked.map(({ key }) => [key, keys.includes(key) ? { ...NEVER_SENT, reads } : NEVER_SENT]),
	);
}

/** What is known of a row that was only read. */
export const factsOf = (row: Row, more: Partial<Facts> = {}): Facts => ({
	row,
	errors: [...row.errors],
	money: { amount: '10', currency: 'USDC' },
	request: 0,
	...more,
});

/** The same, with what the row pays. */
export const paidBy = ({ amount }: Pick<MoneyEndpoint, 'amount'>, row: Row): Facts =>
	factsOf(row, { money: amount(row.values) });

/** Asks for no reference to be paid again. */
export const NO_REQUESTS: PayAgainRequests = new Map();

/** What a person enters to have references paid again. */
export const payAgain = (...references: string[]): PayAgainRequests =>
	new Map(references.map((reference) => [reference.toLowerCase(), 1]));
