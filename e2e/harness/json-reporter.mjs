/** A reporter for node:test: a line of JSON for each test that has run. */
export default async function* reporter(events) {
	for await (const { type, data } of events) {
		if (type !== 'test:pass' && type !== 'test:fail') continue;
		// Tests that a name pattern leaves out are reported as skipped.
		if (data.details.type === 'suite' || data.skip !== undefined) continue;
		const { error } = data.details;
		yield `${JSON.stringify({
			name: data.name,
			passed: type === 'test:pass',
			reason: error && (error.cause?.stack ?? error.message),
		})}\n`;
	}
}
