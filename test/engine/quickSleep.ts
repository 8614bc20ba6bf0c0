import { useOwnSleep } from '../ownSleep';

/**
 * Lets time fly while the node waits, such as for minutes of backoff: n8n's `sleep` takes about a millisecond, and moves
 * the clock ahead instead. Requests take as long as ever.
 */
export function useQuickSleep(): void {
	useOwnSleep((real) => {
		let ahead = 0;
		return {
			now: () => real.now() + ahead,
			async sleep(ms) {
				ahead += ms;
				await real.sleep(1);
			},
		};
	});
}
