import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ExecutionState } from '../../nodes/state/executionState';
import type { IdempotencyStore } from '../../nodes/state/idempotencyStore';
import { createQr as createQrDeposit } from '../../nodes/PartnerPayments/resources/deposit/createQr';
import { createBank } from '../../nodes/PartnerPayments/resources/payout/createBank';
import { createCrypto } from '../../nodes/PartnerPayments/resources/payout/createCrypto';
import { createQr } from '../../nodes/PartnerPayments/resources/payout/createQr';
import type { MoneyEndpoint } from '../../nodes/payments/endpoint';

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

/** What an execution knows of its own payments; nothing, to begin with. */
export const executionMemory = (context = contextOf()): ExecutionState =>
	new ExecutionState(context, 'scope');

/** n8n's memory of what was sent, and what it was asked for. */
export function remembered(...keys: string[]) {
	const lookUp = jest.fn(async () => new Set(keys));
	return { lookUp, sent: { lookUp } as unknown as IdempotencyStore };
}
