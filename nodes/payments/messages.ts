import { catalogue, type MessageTemplate } from '../service/messages';

/** What to do about a row whose outcome is unknown. */
export const LOOK_UP =
	'It may have been created. Do not pay it under another reference before you have looked this one up, with Transaction > Get Status or with the service.';

const IF_NOT_CREATED =
	'Find out with Transaction > Get Status, or with the service, whether it was created. If it was not, name its reference in Options > If Already Sent > Send Again.';

const CORRECT_THE_OPTION = 'Compare the input with what you expected, or correct the option.';

const DRY_RUN_AGAIN =
	'Make a dry run of these rows with the same settings, and have its fingerprint approved.';

/** The hint wherever a payment would have another name when it runs again. */
const USE_A_COLUMN =
	'Use a column of the input, or a Batch ID such as payroll-2026-11, which stays the same when the same rows run again.';

const NAME_THE_COLUMN =
	'Say under Column Mapping which column it is. What is the same in every row can be entered under Default Values.';

const CHECK_DATABASE = 'Look whether n8n’s database works, then run the workflow again.';

/** What becomes of a row, and why nothing of a whole batch is sent. */
export const PAYMENT_MESSAGES = {
	// The end of a row that was not sent.
	notReached: { outcome: 'notSent', text: 'Not sent' },
	cancelled: { outcome: 'notSent', text: 'Not sent, because the execution was cancelled' },
	earlierFault: { outcome: 'notSent', text: 'Not sent, because an earlier item did not succeed' },
	othersBreakRules: {
		outcome: 'notSent',
		text: 'Not sent, because other items break a rule',
		hint: 'Correct them, or set On Error to continue.',
	},
	tokensRefused: {
		outcome: 'notSent',
		text: 'Not sent, because the service refused each new access token (status 401)',
		hint: 'Check the Partner Payments credential with its test button, and the rights of the account.',
	},
	requestsRefused: {
		outcome: 'notSent',
		text: 'Not sent, because the service went on refusing further requests (status 429)',
		hint: 'Run the workflow again later, or send fewer at once.',
	},
	notWrittenDown: {
		outcome: 'notSent',
		text: 'Not sent, because n8n could not store which references are sent ({reason})',
		hint: CHECK_DATABASE,
	},

	// The end of a row whose answer of success is in doubt.
	successDenied: {
		outcome: 'unknown',
		text: 'The service answered that it did not succeed, though with a status of success{said}',
		hint: LOOK_UP,
	},
	noTransactionId: {
		outcome: 'unknown',
		text: 'The service answered with success, but without the transaction identifier that belongs there{said}',
		hint: LOOK_UP,
	},
	answerForAnother: {
		outcome: 'unknown',
		text: 'The service answered for another reference, {reference}, so what became of this one is not known{said}',
		hint: LOOK_UP,
	},
	transactionOfAnother: {
		outcome: 'unknown',
		text: 'The service answered with transaction {transaction}, which belongs to the reference {reference}, so what became of this one is not known{said}',
		hint: LOOK_UP,
	},
	otherValue: {
		outcome: 'unknown',
		text: 'The service answered with transaction {transaction} and another {name} than was sent{said}',
		hint: LOOK_UP,
	},
	endedAtOnce: {
		outcome: 'unknown',
		text: 'The service created transaction {transaction} and answered at once with the status {status}{said}',
		hint: LOOK_UP,
	},
	fileNotStored: { text: 'Created, but the file could not be stored: {reason}' },

	// The end of a row that was sent before.
	alreadySent: {
		outcome: 'alreadySent',
		text: 'An earlier execution of this node sent this reference, or was about to, so it was not sent again',
		hint: IF_NOT_CREATED,
	},
	stoppedAsSentBefore: {
		outcome: 'alreadySent',
		text: 'An earlier execution of this node sent this reference, or was about to, and If Already Sent is Stop Before Sending',
		hint: IF_NOT_CREATED,
	},
	sentInThisExecution: {
		outcome: 'alreadySent',
		text: 'This execution already sent this reference{transaction}, for {row} of run {run} of this node, so it was not sent again',
		hint: 'If it is another payment, give it a reference of its own.',
	},
	otherReferenceBefore: {
		outcome: 'unknown',
		text: 'An earlier attempt of this execution sent this item under the reference {reference}{created}, and it has another one now, so nothing was sent',
		hint: `${LOOK_UP} Take what changes from try to try out of the reference.`,
	},
	otherValuesBefore: {
		outcome: 'unknown',
		text: 'An earlier attempt of this execution sent this reference with other values{created}, so nothing was sent now',
		hint: `${LOOK_UP} If this item is another payment, give it a reference of its own; if it is the same, take values that change with every try out of its fields.`,
	},
	heldBack: {
		outcome: 'unknown',
		text: 'An earlier attempt of this execution ended unknown, so it was not sent again',
		hint: `${LOOK_UP} If it was not created, name its reference in Options > If Already Sent > Send Again.`,
	},
	stillUnknown: {
		outcome: 'unknown',
		text: 'An earlier attempt may have created it, and sending it again did not settle that. {said}',
		hint: LOOK_UP,
	},

	// Why nothing of a batch is sent.
	referencesSentBefore: {
		text: 'References of this batch were sent before, and If Already Sent is Stop Before Sending',
		hint: 'Look at the rows whose outcome is alreadySent. Skip sends the others.',
	},
	memoryUnreadable: {
		text: 'n8n could not tell which references were sent before ({reason})',
		hint: CHECK_DATABASE,
	},
	wrongEnvironment: {
		text: 'Required Environment is {wanted}, and the credential {credential} is for {target}',
		hint: 'Choose a credential whose Environment is {wanted}, or change Required Environment.',
	},
	unexpectedCount: {
		text: 'Expected Count is {expected}, and there are {count} items',
		hint: CORRECT_THE_OPTION,
	},
	totalUnknown: {
		text: '{option} cannot be checked, because the amount of {row} is not known',
		hint: CORRECT_THE_OPTION,
	},
	unexpectedCurrency: {
		text: 'Expected Totals has no {currency}, and the items come to {total} {currency}',
		hint: CORRECT_THE_OPTION,
	},
	unexpectedTotal: {
		text: 'Expected Totals has {expected} {currency}, and the items come to {total} {currency}',
		hint: CORRECT_THE_OPTION,
	},
	currencyWithoutMaximum: {
		text: 'Maximum Totals has no {currency}, and the items come to {total} {currency}',
		hint: CORRECT_THE_OPTION,
	},
	aboveMaximumTotal: {
		text: 'Maximum Totals allows {maximum} {currency}, and the items come to {total} {currency}',
		hint: CORRECT_THE_OPTION,
	},
	otherPaymentsApproved: {
		text: 'Approval Code is of other payments: {differences}',
		hint: DRY_RUN_AGAIN,
	},
	otherContentApproved: {
		text: 'Approval Code is of other payments: count and totals are the same, and something in the rows or the account that pays differs',
		hint: DRY_RUN_AGAIN,
	},
	noBalance: {
		text: 'Check Balance First finds no single {currency} balance for these payouts, and they come to {total} {currency}',
		hint: 'Top up the balance, or pay fewer items.',
	},
	balanceTooLow: {
		text: 'The balance is {balance} {currency}, and these payouts come to {total} {currency}',
		hint: 'Top up the balance, or pay fewer items.',
	},
	toolNeedsReference: {
		text: 'As a tool of an AI agent a payment needs a reference of its own',
		hint: 'Set Reference Source to Given. An agent that calls the tool again for the same payment has to give the same reference again.',
	},
	batchChanged: {
		text: 'Batch ID or Key Columns changed while the rows were read',
		hint: USE_A_COLUMN,
	},
	batchIdMissing: {
		text: 'Batch ID is required when Reference Source is Generated From Batch ID',
		hint: 'Give the batch a name of its own, and the same name when you run it again.',
	},
	unstableContent: {
		text: '{field} {reason}, and the reference is made of it',
		hint: 'Name Key Columns, which then make the reference, or take it out of this field.',
	},
	differsFromRowToRow: {
		text: '{field} is {first} for row 1 (item 0) and {value} for row {row} (item {item})',
		hint: 'It counts for all items of a batch, so it has to be the same for all. Use a value that does not differ from item to item, or pay the items in batches of their own.',
	},

	// Columns that cannot be told.
	columnNameOfNoField: {
		text: 'Column Mapping has {field}, which is no field of this operation',
		hint: 'Choose a field from the list, or remove the entry.',
	},
	columnNameTwice: {
		text: 'Column Mapping has {field} twice',
		hint: 'Keep one of the entries.',
	},
	columnNameEmpty: {
		text: 'Column Mapping has no column for {field}',
		hint: 'Enter the header of the column, or remove the entry.',
	},
	columnNameUnknown: {
		text: 'Column Mapping has {header} for {field}, and the input has no such column.\n{found}',
		hint: 'Enter the header as it is in the input.',
	},
	columnsMissing: {
		text: 'The input has no column for {fields}.\n{found}',
		hint: NAME_THE_COLUMN,
	},
	columnsMissingWithReference: {
		text: 'The input has no column for {fields}.\n{found}',
		hint: `${NAME_THE_COLUMN}\nHas the file no references? Set Reference Source to Generated From Batch ID.`,
	},
	wrongDelimiter: {
		text: 'The input has no column for {fields}.\n{found}',
		hint: 'The whole line is one column: in the node that reads the file, set Delimiter to what parts the columns, such as a semicolon.',
	},
	wrongEncoding: {
		text: 'The input has no column for {fields}.\n{found}',
		hint: 'The file was read in the wrong encoding: in the node that reads it, set Encoding to Latin1, or to UTF-8 if it is Latin1 now.',
	},
	columnsInDoubt: {
		text: 'The columns {columns} all mean {field}.',
		hint: 'Say under Column Mapping which one it is, or remove the others.',
	},

	dryRun: { text: 'Dry run: this request was not sent' },

	// What is said of a whole batch.
	rowsInvalid: {
		text: '{bad} of {count} items cannot be sent as they are, so nothing was sent',
	},
	nothingSent: { text: 'Nothing was sent. {reason}' },
	nothingMoreSent: { text: 'Nothing more was sent. {reason}' },
	executionCancelled: {
		text: 'Partner Payments: the execution was cancelled. {rows}',
	},
	batchIdOfToday: {
		text: 'Batch ID is {batchId} today and will be another one tomorrow. The same rows would then be new payments.',
	},
	contentOfToday: {
		text: '{field} depends on today’s date, and the reference is made of it. Tomorrow the same rows would be new payments.',
	},
	referenceOfToday: {
		text: '{field} depends on today’s date. Tomorrow the same items would have other references, and would be new payments.',
	},
	workflowNotSaved: {
		text: 'n8n remembers nothing for a workflow that is not saved, so only the service can refuse a reference that was sent before. Save the workflow.',
	},
	memoryFull: {
		text: 'n8n remembers the last {max} references of this node. The {dropped} oldest ones were dropped for those of this run: rows with these references would be sent again.',
	},
	sendAgainIsOn: {
		text: 'If Already Sent is Send Again. Set it back to Skip now, so that the next run does not send these references once more.',
	},
} as const satisfies Record<string, MessageTemplate>;

/** What is wrong with a row, to be read behind the label of its field. */
export const ROW_MESSAGES = {
	unstableExecution: {
		text: 'contains the execution, which is another one whenever the rows run again',
		hint: USE_A_COLUMN,
	},
	unstableChance: {
		text: 'is made by chance, so it is another one whenever the rows run again',
		hint: USE_A_COLUMN,
	},
	unstableTime: {
		text: 'contains the time, which is another one whenever the rows run again',
		hint: USE_A_COLUMN,
	},
	unstableReading: {
		text: 'is another one each time that it is read',
		hint: 'Use a column of the input as the reference: a payment is recognised by it when the workflow runs again.',
	},
	partEmpty: {
		text: 'is incomplete: {part} is empty',
		hint: 'Name a column that every item has.',
	},
	partNotText: {
		text: 'must be text, and {part} gives {kind}',
		hint: 'Name one value in it, such as {{ $json.batch.id }}.',
	},
	batchNameNotText: {
		text: 'must be text, and is {kind}',
		hint: 'Name one value in it, such as {{ $json.batch.id }}.',
	},
	valueMissing: {
		text: 'contains {value}, which an expression gives for a value that is missing',
		hint: 'Name a column that every item has.',
	},
	duplicateReference: {
		text: 'is the same as in {row}',
		hint: 'Give every payment a reference of its own.',
	},
	rowEmpty: { text: 'is empty', hint: 'Remove empty rows from the spreadsheet.' },
	columnsDiffer: {
		text: 'is in the columns {columns} with different values',
		hint: 'Keep one of these columns.',
	},
	columnMisspelled: {
		text: 'belongs to no field',
		hint: 'Did you mean {field}? Rename the column, or remove it.',
	},
	keyMissing: {
		text: 'is not in the input',
		hint: 'Every item needs a value in each key column.',
	},
	keyEmpty: { text: 'is empty', hint: 'Every item needs a value in each key column.' },
	amountUnknown: {
		text: 'is not known, so Maximum Amount cannot be checked',
		hint: 'Remove Maximum Amount, or give an amount.',
	},
	aboveMaximumAmount: {
		text: 'is above the Maximum Amount of {maximum}',
		hint: 'Check the amount, or raise Maximum Amount in Options.',
	},
	identicalPayment: {
		text: 'is identical to that of {row}: the same recipient, amount and purpose',
		hint: 'Remove the line if it was copied. If both are to be paid, tell them apart by Key Columns, or set Duplicate Payments to Allow.',
	},
	sentByAgent: {
		text: 'is identical to one that this execution has sent under the reference {reference} ({outcome}): the same recipient and amount',
		hint: 'If it is the same payment, do not pay it again: look it up under that reference. If both are to be paid, a person has to set Duplicate Payments to Allow.',
	},
	noBinaryFile: {
		text: 'names no file of this item',
		hint: 'Enter the name of the binary field that the node before gives.',
	},
} as const satisfies Record<string, MessageTemplate>;

/** Options that are not what they have to be. */
export const OPTION_MESSAGES = {
	notYesOrNo: {
		text: '{option} is {value}, which is neither yes nor no',
		hint: 'Turn it on or off, or let its expression give true or false.',
	},
	notAnOption: {
		text: '{option} is {value}, which is none of its choices',
		hint: 'Choose one from the list, or let its expression give {choices}.',
	},
	notInRange: {
		text: '{option} is {value}',
		hint: 'Enter a {kind}number from {min} to {max}{hint}, or remove the option.',
	},
	notAnAmount: { text: '{option} is {value}', hint: '{hint}' },
	cannotAct: { text: '{option} cannot act on {operation}', hint: 'Remove it from Options.' },
	nothingRemembered: {
		text: '{option} cannot stop anything without a memory of what was sent',
		hint: 'Turn on {memory}.',
	},
	noTotal: {
		text: '{option} has no total',
		hint: 'Add a total with its currency and amount, or remove the option.',
	},
	noCurrency: { text: '{option} has no currency', hint: 'Enter one, such as BOB.' },
	approvalEmpty: {
		text: '{option} is empty, and a missing approval is none',
		hint: 'Let it give the fingerprint of a dry run that was approved, or remove the option.',
	},
	notAFingerprint: {
		text: '{option} is {value}, which is no fingerprint',
		hint: 'Take summary.fingerprint of a dry run as it is, from its count to its last character.',
	},
	nothingToSendAgain: {
		text: '{option} is empty',
		hint: 'Enter the references that you have made sure of, or choose Skip for If Already Sent.',
	},
} as const satisfies Record<string, MessageTemplate>;

export const tell = catalogue({ ...PAYMENT_MESSAGES, ...ROW_MESSAGES, ...OPTION_MESSAGES });
