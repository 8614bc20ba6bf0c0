/** An error that is printed without a stack, because the cause is outside this program. */
export class ExpectedError extends Error {}

/** The error of a program, with the relevant part of its output. */
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
