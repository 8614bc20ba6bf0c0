import { checkInvariants, computersWith, scenario } from './fundings';
import { testScenarios } from './testScenarios';

const computers = computersWith();

testScenarios(
	'fundings',
	'funds each payout once with its exact amount, and nothing that does not exist or has ended',
	scenario,
	async (one) => await checkInvariants(one, computers),
);
