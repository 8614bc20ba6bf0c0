import type { FastifyInstance } from 'fastify';
import type { Core } from '../core';
import { ServiceError } from '../errors';
import { asset, blockchain, idParams, strictObject } from '../schemas';
import { newWalletAsset } from '../state';

interface AddedAsset {
	symbol: string;
	blockchain: string;
}

// The allowed values of this operation are not documented. Here they are those of section 1.
const addedAsset = strictObject({ symbol: asset, blockchain }, ['symbol', 'blockchain']);

/** Wallets of the business (sections 4.4 and 4.5). */
export function walletRoutes(app: FastifyInstance, { settings }: Core): void {
	app.get('/v2/wallets', ({ business }) => ({ wallets: [...business.wallets.values()] }));

	app.post<{ Params: { id: string }; Body: AddedAsset }>('/v2/wallets/:id/assets', {
		schema: { params: idParams, body: addedAsset },
		handler({ business, params, body }, reply) {
			const wallet = business.wallets.get(params.id.toLowerCase());
			if (wallet === undefined) throw new ServiceError(404, `Wallet ${params.id} not found`);

			const held = wallet.assets.some(
				(one) => one.symbol === body.symbol && one.blockchain === body.blockchain,
			);
			// The response to an asset that the wallet already has is not documented. Here it is the unchanged wallet.
			if (!held) wallet.assets.push(newWalletAsset(body.symbol, body.blockchain));
			void reply.code(settings.successStatus);
			return wallet;
		},
	});
}
