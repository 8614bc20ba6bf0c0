import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ExecutionState } from '../../nodes/state/executionState';
import type { IdempotencyStore } from '../../nodes/state/idempotencyStore';
import { createQr as createQrDeposit } from '../../nodes/PartnerPayments/resources/deposit/createQr';
import { createBank } from '../../nodes/PartnerPayments/resources/payout/createBank';
import { createCrypto } from '../../nodes/PartnerPayments/resources/payout/createCrypto';
import { createQr } from '../../nodes/PartnerPayments/resources/payout/createQr';
import type { BatchContext } from '../../nodes/payments/batchContext';
import type { MoneyEndpoint } from '../../nodes/payments/endpoint';
import type { BatchOptions } from '../../nodes/payments/options';

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
		getContext: () => stored,
		evaluateExpression: () => run,
		getExecutionId: () => executionId,
	} as unknown as IExecuteFunctions;
}

/** The state of an execution that has sent nothing yet. */
export const executionState = (context = contextOf()): ExecutionState =>
	new ExecutionState(context, 'scope');

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
		hasUniqueKeys: false,
		hints: [],
		...parts,
		options: {
			ifAlreadySent: 'skip',
			referencesToPayAgain: [],
			...options,
		} as unknown as BatchOptions,
	};
}

/** An idempotency store that knows these keys, and what it was asked. */
export function storeWith(...keys: string[]) {
	const lookUp = jest.fn(async () => new Set(keys));
	return { lookUp, store: { lookUp } as unknown as IdempotencyStore };
}
