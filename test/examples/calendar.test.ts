import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { readExample, workflowOf } from './examples';

const example = readExample('pay-every-month');

const HOLIDAYS = ['2026-12-25', '2026-12-31', '2027-01-01'];

/** What the workflow does in the morning of a day. */
interface Morning {
	period: string;
	/** Whether it reads the file, and sends a reminder if there is none. */
	isDue: boolean;
	isPaid: boolean;
}

/** Evaluates the calendar of the example in n8n's own expressions, as it runs at 8 in the morning. */
function mornings(timezone: string): (day: string) => Morning {
	const workflow = workflowOf(example, timezone);
	const parametersOf = (name: string, json: IDataObject) => {
		const { parameters } = workflow.nodes[name];
		const given = [{ json }];
		return workflow.expression.getParameterValue(
			// What the month is, is the input here.
			JSON.parse(
				JSON.stringify(parameters).replaceAll("$('This month').first().json", '$json'),
			) as INodeParameters,
			null,
			0,
			0,
			name,
			given,
			'trigger',
			{},
		) as INodeParameters;
	};
	const fields = (name: string, json: IDataObject): IDataObject => {
		const { assignments } = parametersOf(name, json).assignments as unknown as {
			assignments: Array<{ name: string; value: IDataObject[string] }>;
		};
		return Object.fromEntries(assignments.map((one) => [one.name, one.value]));
	};
	const passes = (name: string, json: IDataObject): boolean => {
		const { conditions } = parametersOf(name, json).conditions as unknown as {
			conditions: [{ leftValue: boolean }];
		};
		return conditions[0].leftValue;
	};
	return (day) => {
		jest.setSystemTime(new Date(`${day}T08:00:00${OFFSETS[timezone]}`));
		const { remindDays } = fields('Settings', {});
		const month = fields('This month', { holidays: HOLIDAYS, remindDays });
		const isDue = passes('Anything due?', month);
		return {
			period: String(month.period),
			isDue,
			isPaid: isDue && passes('Payday?', month),
		};
	};
}

/** Neither place has daylight saving time. */
const OFFSETS: Record<string, string> = {
	'America/La_Paz': '-04:00',
	'Pacific/Kiritimati': '+14:00',
};

/** Every day of a leap year. */
const DAYS = Array.from({ length: 366 }, (_, index) =>
	new Date(Date.UTC(2028, 0, 1 + index)).toISOString().slice(0, 10),
);

const weekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay();
const isWorkingDay = (day: string) => ![0, 6].includes(weekday(day)) && !HOLIDAYS.includes(day);

beforeAll(() => {
	jest.useFakeTimers();
});

afterAll(() => {
	jest.useRealTimers();
});

describe.each(Object.keys(OFFSETS))('the calendar of the monthly payroll in %s', (timezone) => {
	const morning = mornings(timezone);

	test.each([
		['2026-10-28', 'a Wednesday', 'reads the file'],
		['2026-10-29', 'a Thursday', 'reads the file'],
		['2026-10-30', 'the last Friday', 'pays'],
		['2026-10-31', 'a Saturday', 'does nothing'],
		['2026-11-01', 'a Sunday', 'does nothing'],
		['2026-11-26', 'four days before', 'does nothing'],
		['2026-11-28', 'a Saturday', 'reads the file'],
		['2026-11-29', 'a Sunday', 'reads the file'],
		['2026-11-30', 'the last Monday', 'pays'],
		['2026-12-01', 'the day after', 'does nothing'],
		['2026-12-28', 'three days before', 'reads the file'],
		['2026-12-30', 'the last day before holidays', 'pays'],
		['2026-12-31', 'a holiday', 'does nothing'],
		['2027-02-25', 'a Thursday', 'reads the file'],
		['2027-02-26', 'the last Friday', 'pays'],
		['2027-02-28', 'a Sunday', 'does nothing'],
		['2027-03-01', 'the day after', 'does nothing'],
		['2028-02-29', 'a leap day', 'pays'],
	])('on %s, %s, it %s', (day, _, does) => {
		const { period, isDue, isPaid } = morning(day);
		expect(isPaid ? 'pays' : isDue ? 'reads the file' : 'does nothing').toBe(does);
		expect(period).toBe(day.slice(0, 7));
	});

	test('pays once in every month, on its last working day, and reads the file three days before', () => {
		const found = DAYS.map((day) => ({ day, ...morning(day) }));
		const days = (wanted: 'isPaid' | 'isDue') =>
			found.filter((one) => one[wanted]).map(({ day }) => day);
		const paydays = [
			...new Map(DAYS.filter(isWorkingDay).map((day) => [day.slice(0, 7), day])).values(),
		];
		expect(days('isPaid')).toEqual(paydays);
		expect(days('isDue')).toEqual(
			paydays.flatMap((payday) =>
				[3, 2, 1, 0].map((back) =>
					new Date(Date.parse(payday) - back * 86_400_000).toISOString().slice(0, 10),
				),
			),
		);
	});
});
