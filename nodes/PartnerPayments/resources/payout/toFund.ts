import type { IDataObject } from 'n8n-workflow';

import { choiceField, type Condition } from '../../../fields/field';
import {
	ASSET_HEADERS,
	BLOCKCHAIN_HEADERS,
	FUNDING_SOURCE_ALIASES,
	FUNDING_SOURCE_HEADERS,
} from '../../../fields/headers';
import type { Values } from '../../../fields/validators';
import type { MoneyEndpoint } from '../../../batch/endpoint';
import { canonicalAmount } from '../../../batch/totals';
import type { ToFund } from '../../../report/toFund';
import { ASSETS, BLOCKCHAINS, FUNDING_SOURCES } from '../../../service/enums';
import { textIn } from '../../../service/responses';

/** Sections 4.6 and 4.11: what the service assumes if the request has no asset or blockchain. */
export const DEFAULTS = { asset: 'USDC', blockchain: 'Polygon' };

/** When a payout waits for crypto. */
export const CONVERSION = { fundingSource: ['conversion'] };

/** The notice above the form of a payout from the balance or by conversion. */
export const REAL_MONEY =
	'This moves real money, unless the credential is for the sandbox. Dry Run validates without paying.';

export const FUNDING_SOURCE = choiceField({
	name: 'fundingSource',
	label: 'Funding Source',
	to: 'funding_source',
	required: true,
	options: FUNDING_SOURCES,
	valueAliases: FUNDING_SOURCE_ALIASES,
	default: 'balance',
	description: 'Where the money comes from',
	headerAliases: FUNDING_SOURCE_HEADERS,
});

/** The fields that say which crypto funds a payout. The service requires them for some payouts. */
export const conversionFields = (more: { requiredWhen?: Condition } = {}) => [
	choiceField({
		name: 'assetDeposit',
		label: 'Asset',
		to: 'asset_deposit',
		shownWhen: CONVERSION,
		...more,
		options: ASSETS,
		default: DEFAULTS.asset,
		description: 'Crypto asset that funds the payment',
		headerAliases: ASSET_HEADERS,
	}),
	choiceField({
		name: 'blockchain',
		label: 'Blockchain',
		to: 'blockchain',
		shownWhen: CONVERSION,
		...more,
		options: BLOCKCHAINS,
		default: DEFAULTS.blockchain,
		description: 'Blockchain of the asset that funds the payment',
		headerAliases: BLOCKCHAIN_HEADERS,
	}),
];

/** More than an amount has. */
const MAX_AMOUNT = 40;

/** Sections 4.6 and 4.11: a payout by conversion waits for what its response says. */
export const CONVERSION_FUNDING: MoneyEndpoint['funding'] = {
	asset: ({ fundingSource, assetDeposit }) =>
		CONVERSION.fundingSource.includes(String(fundingSource))
			? String(assetDeposit ?? DEFAULTS.asset)
			: undefined,
	toFund,
};

/** What the response to a payout says. An amount of zero is nothing to send. */
function toFund({ assetDeposit, blockchain }: Values, answer: IDataObject): ToFund | undefined {
	const decimal = canonicalAmount(answer.amount_deposit) ?? '';
	// A negative amount, or one of a thousand digits, is none that somebody can send.
	const amount = decimal.startsWith('-') || decimal.length > MAX_AMOUNT ? '' : decimal;
	const address = textIn(answer, 'deposit_address') ?? '';
	if (amount === '0' || (amount === '' && address === '')) return undefined;
	return {
		amount,
		asset: String(assetDeposit ?? DEFAULTS.asset),
		blockchain: String(blockchain ?? DEFAULTS.blockchain),
		address,
	};
}
