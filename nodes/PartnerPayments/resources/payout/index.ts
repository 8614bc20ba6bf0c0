import type { Resource } from '../../operations/operation';
import { createBank } from './createBank';
import { createCrypto } from './createCrypto';
import { createQr } from './createQr';
import { fundConversions } from './fundConversions';
import { getBalances } from './getBalances';
import { readPaymentFile } from './readPaymentFile';

export const payoutResource: Resource = {
	value: 'payout',
	name: 'Payout',
	operations: [createBank, createCrypto, createQr, fundConversions, getBalances, readPaymentFile],
};
