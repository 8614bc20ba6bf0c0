/** An error that is told in its own words, without a stack: what is wrong is not this program. */
export class ExpectedError extends Error {}

/** What went wrong with a program, and the part of its output that tells why. */
export class ProcessError extends Error {
	/**
	 * @param {string} message
	 * @param {string} output
	 */
	constructor(message, output) {
		super(message);
		this.output = output;
	}
}
