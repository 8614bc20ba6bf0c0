import type { IDataObject } from 'n8n-workflow';

import { isEmpty } from '../fields/checks';
import { columnName } from '../fields/field';
import { parseDecimal } from '../fields/money';
import { showValue } from '../fields/problem';
import { referenceKey } from '../fields/text';
import type { ExecutionMemory } from '../memory/executionMemory';
import { isObject, textIn } from '../service/answers';
import { serviceMessage } from '../service/errors';
import type { MoneyEndpoint } from './endpoint';
import type { NotPaid, Row } from './payment';
import { LOOK_UP } from './settle';

/** States in which a transaction pays nothing, although it exists (section 3.1), however spelt. */
const ENDED_BADLY = /fail|reject|expire|cancel|declin/i;

/** More decimals than any amount has. */
const MAX_PLACES = 8;

/**
 * Why an answer of success does not say that this row was created.
 *
 * @returns the row's end, whose outcome is `unknown`; undefined when nothing is in doubt
 */
export function doubtOf(
	endpoint: MoneyEndpoint,
	memory: ExecutionMemory,
	{ reference, key, body }: Row,
	answer: unknown,
): NotPaid | undefined {
	const said = serviceMessage(answer);
	const doubt = (message: string, facts: Partial<NotPaid> = {}): NotPaid => ({
		outcome: 'unknown',
		reference,
		...facts,
		message: `${message}${said === '' ? '' : `: ${said}`}`,
		advice: LOOK_UP,
	});
	const created = isObject(answer) ? endpoint.created(answer) : undefined;
	const { success, statusCode } = (answer ?? {}) as IDataObject;
	if (String(success).toLowerCase() === 'false' || Number(statusCode) >= 400) {
		return doubt('The service answered that it did not succeed, though with a status of success');
	}
	if (!created) {
		return doubt(
			'The service answered with success, but without the transaction identifier that belongs there',
		);
	}
	const field = endpoint.fields.find(({ name }) => name === endpoint.reference.field);
	const echo = field && textIn(answer, columnName(field));
	if (echo !== undefined && referenceKey(echo) !== key) {
		return doubt(
			`The service answered for another reference, ${showValue(echo)}, so what became of this one is not known`,
		);
	}
	const owner = memory.ownerOf(created.transactionId);
	if (owner !== undefined && owner !== key) {
		return doubt(
			`The service answered with transaction ${created.transactionId}, which belongs to the reference ${owner}, so what became of this one is not known`,
		);
	}
	const other = otherValue(endpoint, body, answer as IDataObject);
	if (other !== undefined) {
		return doubt(
			`The service answered with transaction ${created.transactionId} and another ${other} than was sent`,
			{ transactionId: created.transactionId, status: created.status },
		);
	}
	// The bank payout states it of each transaction; one for the whole counts as well.
	const status = [created.status, textIn(answer, 'status') ?? ''].find((one) =>
		ENDED_BADLY.test(one),
	);
	if (status !== undefined) {
		const words = created.message === '' || said !== '' ? '' : `: ${created.message}`;
		return doubt(
			`The service created transaction ${created.transactionId} and answered at once with the status ${status}${words}`,
			{ transactionId: created.transactionId, status },
		);
	}
	return undefined;
}

/** The name of a value that the service repeats otherwise than it was sent, where it repeats all. */
function otherValue(
	{ repeats = [] }: MoneyEndpoint,
	body: IDataObject,
	answer: IDataObject,
): string | undefined {
	const same = (value: unknown) => {
		const decimal = parseDecimal(value, MAX_PLACES);
		return decimal.ok ? decimal.text : String(value).toLowerCase();
	};
	return repeats.find((name) => !isEmpty(answer[name]) && same(answer[name]) !== same(body[name]));
}
