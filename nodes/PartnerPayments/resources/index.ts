import type { Resource } from '../operations/operation';
import { account } from './account';
import { businessClient } from './businessClient';
import { deposit } from './deposit';
import { payout } from './payout';
import { quote } from './quote';
import { transaction } from './transaction';
import { wallet } from './wallet';
import { webhook } from './webhook';
import { webhookLog } from './webhookLog';

/** The resources, in the order in which the editor lists them. */
export const RESOURCES: Resource[] = [
	account,
	businessClient,
	deposit,
	payout,
	quote,
	transaction,
	wallet,
	webhook,
	webhookLog,
];
