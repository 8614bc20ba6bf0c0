const USE_A_DOT = 'Use a dot before the decimals, for example 1250.50.';

const COPY_AGAIN = 'Copy it again. One wrong character sends the money to nobody.';

/** What to do about a row whose outcome is unknown. */
export const LOOK_UP =
	'Look it up with Transaction > Get Status, or ask the service, before you pay it under another reference. It may have been created.';

/** What to do about a request without an answer. A payment has LOOK_UP instead. */
const LOOK_FIRST =
	'Reading changes nothing, so it can be run again. Anything else may have been done: look before you do it again. If this goes on, check Base URL in the credential.';

const IF_NOT_CREATED =
	'Look it up with Transaction > Get Status, or ask the service. If it was not created, set Duplicates: If Already Sent to Pay Again and enter its reference. For many, choose Pay Again If Not in Logs.';

/** A generated reference changes with the Batch ID alone. */
const IF_ANOTHER_PAYMENT =
	'If this is another payment, give it another reference, or another Batch ID if references are generated.';

const CORRECT_THE_OPTION = 'Compare the input with what you expected, or correct the option.';

const REPEAT_DRY_RUN =
	'Repeat the dry run with these rows and settings, and have its fingerprint approved.';

/** What to do about two rows of one payee, or with one key. Other Key Columns make other payments of all rows. */
const DISTINGUISH_ROWS =
	'Remove the row if it was copied. If both are due, add a column to Key Columns that distinguishes them and never changes, such as an invoice number. If rows of this batch were already sent, keep Key Columns as they are: pay this row alone, with another Batch ID.';

const MAP_THE_COLUMN =
	'Choose the column under Column Mapping. Enter a value that is the same in every row under Default Values. Rows without references need Reference Source: Generated From Batch ID.';

const CHECK_DATABASE = 'Check that n8n’s database works, then run the workflow again.';

/**
 * Messages by their error codes: what happened → what to do. `{name}` is a placeholder. Programs rely on the code and
 * never on the wording. The Spanish is in es.ts, the outcomes in outcomes.ts.
 */
export const MESSAGES = {
	// Responses and missing responses.
	loginRejected:
		'The service does not accept this email and password{said} → Check Email and Password in the Partner Payments credential.',
	loginNotRepeated:
		'The service has rejected this login, so it is not tried again within an hour. {reason} → Correct the Partner Payments credential, or press its test button. An execution that you start by hand tries once.',
	loginNotFound:
		'There is no login at {address} → In the Partner Payments credential, check Login Version, and Base URL with the service’s api prefix.',
	loginFailed:
		'The service answered the login with status {status}{said} → Try again later, or check Base URL in the Partner Payments credential.',
	loginWithoutToken:
		'The service answered the login without an access token{said} → Check Base URL in the Partner Payments credential.',
	loginUnreachable:
		'Cannot log in at {host}: {reason} → Check Base URL in the Partner Payments credential, and that the service is available.',
	requestRejected:
		'The service rejected the request{said} → Nothing was created. Correct the value that the service names and try again. If an earlier run may have sent this payment, look it up first: the service may answer a duplicate like this.',
	tokenRejected:
		'The service did not accept the login{said} → Nothing was created. Test the Partner Payments credential.',
	notAllowed:
		'The service does not allow this account to do that{said} → Nothing was created. Ask the service which rights the account has.',
	notFound:
		'The service does not know the address or the ID{said} → Nothing was created. Check the ID, and Base URL in the credential.',
	referenceExists:
		'The service already has this reference{said} → Look it up before you pay under another reference. An earlier run may have created it.',
	tooManyRequests:
		'The service is receiving too many requests{said} → Nothing was created. Run this item again later, or send fewer requests at once.',
	redirected: `The service answered with a redirect (status {status}), which is not followed: Base URL in the credential may be outdated → ${LOOK_FIRST}`,
	serviceFailed: `The service could not complete the request (status {status}){said} → ${LOOK_FIRST}`,
	unreachable:
		'The service cannot be reached: {reason} → Nothing was created. Check Base URL in the credential, then run this item again.',
	timedOut: `The service did not answer in time → ${LOOK_FIRST}`,
	connectionLost: `The connection to the service was lost before it answered → ${LOOK_FIRST}`,
	cancelledWaiting: `The execution was cancelled before the service answered → ${LOOK_FIRST}`,
	cancelledUnsent:
		'The execution was cancelled before the request was sent → Nothing was created. Run this item again.',
	responseUnreadable:
		'The response of the service {reason}, so it was not read → The request may have succeeded: look before you send it again. Check Base URL in the credential, which may lead to another server.',
	responseWithoutList:
		'The response of the service lacks the expected list → Check Base URL in the credential: it may lead to another server.',
	responseWithoutObject:
		'The response of the service lacks the expected object → The request may have succeeded: look with Get Many before you send it again. Check Base URL in the credential.',
	tooManyLogPages:
		'The service has more than {pages} pages of webhook logs → To read less, change {setting}. If the service does not list the newest entries first, that does not help: ask the service to do so.',

	// What is wrong with a value. Each text continues the label of its field.
	required: 'is required → Enter a value.',
	requiredWhen: 'is required when {condition} → Enter a value.',
	countryMissing:
		'is required for a currency other than BOB and USD. Without it, the service takes Bolivia → Enter the country of the bank, such as CL: in the field Country, in a column country or under Default Values.',
	expressionFails: 'cannot be evaluated ({reason}) → Correct the expression.',
	notText: 'must be text → Enter text or a whole number.',
	brokenLetters:
		'was read with the wrong encoding and lost letters → Save the file as XLSX or CSV UTF-8, or change Encoding in the node that reads it.',
	tooLong:
		'has {count} characters, but may have at most {max} → Shorten it. An emoji counts as two or more.',
	wrongLength: 'must have {min} to {max} characters → Enter the whole value.',
	invisibleCharacter:
		'has an invisible character ({character}) at position {place} → Type the value again: the character was copied with the text.',
	otherDigits: 'has digits of another script → Type the digits 0 to 9.',
	signOrDecimals:
		'must not be negative or have decimals → Check that the value is in the right column, and format the cell as text.',
	spreadsheetError:
		'is an error of the spreadsheet → Correct the formula in the file, or enter the value.',
	placeholder: 'is a placeholder or an example → Enter the real value.',
	noNumber: 'has no digit other than 0 → Enter the number of the payee.',
	notAccountNumber:
		'must have digits and letters only → Enter one account number. Remove separators and keep leading zeros, or have the file read by Payout > Read Payment File, which asks what to do with separators.',
	bankName:
		'is a bank name without a code → Enter the code, which the service has in its list of banks, or add the name to Values: Bank Names.',
	notDigits:
		'must have digits only → Remove spaces, dots and hyphens between digits. If the number has letters or a digit behind a hyphen, ask the service how it takes such a document: without them it may be another person’s number.',
	wrongDigitCount:
		'must have {min} to {max} digits, and has {count} → If the document begins with zeros, check that the spreadsheet kept them.',
	notUuid: 'must be a UUID → {hint}',
	notAChoice: 'must be one of {choices} → Choose one of these.',
	notCryptoAddress: `must be a valid address on {blockchain} → ${COPY_AGAIN} Check the blockchain, too.`,
	notOnAssumedBlockchain:
		'must be a {blockchain} address (0x and 40 hexadecimal digits) unless Blockchain is set → Set Blockchain, or enter a {blockchain} address. Without a blockchain, the service takes {blockchain}.',
	wrongChecksum: `has a wrong checksum, so a digit or the case of a letter was changed → ${COPY_AGAIN}`,
	zeroAddress: 'is the zero address, which belongs to nobody → Enter the address of the recipient.',
	tokenContract:
		'is the contract of the token {token} on {blockchain}, which loses what is sent to it → Enter the address of the recipient.',
	notClockTime: 'must be a time HH:MM:SS, 00:00:00 to 23:59:59 → For example 01:30:00.',
	notEmail: 'must be an email address → For example maria@example.com.',
	notWebAddress: 'must be a web address → For example https://example.com/callback.',
	notNumber: `must be a number → Remove currency signs and words. ${USE_A_DOT}`,
	otherDecimalSeparator:
		'does not use a decimal {separator} → Write it like the other amounts of the column.',
	ambiguousAmount:
		'can be read as more than one amount → Write it without thousands separators, and with any number of decimals but 3, such as 1250.50.',
	lostDigits:
		'has lost digits: a spreadsheet rounded it or wrote it in scientific notation → Format the cell as text and enter the whole value again. Round computed values.',
	notPositive: 'must be more than 0 → Enter a positive amount.',
	tooManyDecimals: 'must have at most {places} decimals → Round it to {places} decimals.',
	tooManyDigits: 'has more digits than can be sent exactly → Use at most 15 digits.',

	// Payment files: why one cannot be read, why a row is held, and what is asked.
	fileTooLarge:
		'The file has more {what} than a payment file ({max}) → Save only the sheet with the payments, or copy its rows into a new file.',
	filePassword: 'The file has a password → Open it and save it without one.',
	otherFormat:
		'The file is {format}, and not XLSX, ODS or CSV → Open it in Excel and save it as Excel Workbook (.xlsx).',
	notASheet: 'The file is neither XLSX nor ODS nor CSV → Save the sheet as Excel Workbook (.xlsx).',
	damagedFile: 'The file is damaged → Open it, save it again and upload that file.',
	openQuote: 'A quotation mark in row {row} is never closed → Remove it or close it.',

	// What a payment file asks, and why a row of it is not paid.
	whichSheet: 'Which sheet has the payments?',
	whichHeader: 'Which row has the column names?',
	noHeader: 'No row has column names',
	whichColumn: 'Which column has the {field}?',
	noColumn: 'None of these columns',
	whichForAll: '{field}: what do all rows have?',
	whichValue: '{field}: what is {text}?',
	useDefault: 'As if the cell were empty: the default value counts, if there is one',
	whichDecimal: 'How is {text} meant?',
	decimalComma: 'The comma is decimal',
	decimalDot: 'The dot is decimal',
	whichNameOrder: 'How are the names in {header} written?',
	namesFirst1: 'Names, one surname',
	namesFirst2: 'Names, two surnames',
	surnamesFirst1: 'One surname, names',
	surnamesFirst2: 'Two surnames, names',
	whichRemarks:
		'These columns are not used. Does any of them say that somebody is not paid, or is paid in another way?',
	asWritten: '{text}',
	noRemarks: 'None of them',
	whichKey: '{name} is in rows {rows}. Which column distinguishes the payments?',
	onlyFirst: 'Pay only the first row of each',
	onlyLast: 'Pay only the last row of each',
	payEach: 'Pay every row: they are different payments',
	heldRow: 'Row {row}: {name}',
	leaveOut: 'Leave it out',
	whichRows:
		'Choose what is paid. A row is paid only if you choose everything that is said about it.',
	payNone: 'Pay none of them',
	unpayableRows: 'Rows that cannot be paid: {count}',
	leaveAllOut: 'Leave them out',
	columnField: 'Field',
	columnHeader: 'Column',
	columnSample: 'For example',
	columnBefore: 'Before',
	columnNow: 'Now',
	columnDifference: 'Difference',
	rowNumber: 'Row {row}',
	leftOutRows: 'Rows of the file that are not paid: {count}',
	confirmedRows: 'Rows that whoever uploaded the file has confirmed: {count}',
	moreRows: 'and {count} more',
	comparedWith: 'Compared with {name}',
	sameAs: 'The same people, accounts and amounts as in {name}',
	rowTotal: '{text}: the sum of the rows above',
	rowZero: '{text}: the amount is missing or 0',
	rowAbove: 'it is above the column names',
	rowOther: '{text}: the amount is empty, but {header} is not',
	rowLeftOut: 'Left out by whoever uploaded the file',
	rowWithoutPayee: '{text}: an amount without a payee, and not the sum of the rows above',
	rowUnreadable:
		'{field} is a date, a percentage, an error, a text that is too long or a value that its format hides: {text}',
	rowSign: 'the amount has the sign {sign}, which is no currency that can be paid',
	rowCheckDigits: '{field} has wrong check digits ({text}): a character was changed',
	rowValueInvalid: '{field}{value} {reason}',
	heldHidden: 'it is hidden or filtered out',
	heldStruck: 'it is struck through',
	heldComment: 'a comment says: {text}',
	heldRounded: 'the cell shows {shown}, but holds {exact}',
	heldCurrency: 'the file says {sign}, where {own} was expected; it would be paid in {currency}',
	heldNoCurrency: 'its currency or network is empty, and would be {currency}',
	heldSum: 'its amount is the sum of other rows',
	heldCopied: 'its document, account or amount have the same number',
	heldLetters: 'unlike most accounts, it has a letter: {text}',
	heldLength: '{text} is shorter or longer than all others of its kind',
	heldShared: 'its account is also that of another payee',
	heldFill: 'its colour is not that of all rows',
	heldApart: 'it is apart from the table, below empty rows',
	heldOther: 'another row of the same payee cannot be paid',
	heldExchanged: 'its document looks like an account, and its account like a document',
	heldInside: 'the QR code says amount {amount}, currency {currency} (068 is the boliviano)',
	rowMoved: 'it is below column names in another order: {text}',
	heldMerged: 'its amount, account or document is merged with that of another row',
	heldZeros: '{text} is shorter than the others of its column, and may have lost zeros',
	heldBelow: 'it is below: {text}',
	heldUnit: 'under "{text}", {amount} is paid as written, neither in cents nor in thousands',
	heldLines: 'only the first line is the name: {text}',
	heldNumber: '{field} {text} is sent as {number}',
	heldRemark: '{header}: {text}',
	heldName: 'the name has a remark: {name}',
	hiddenSheet: 'The hidden sheet {name} is not read',
	otherSheet: 'The sheet {name} is not read',
	noPaymentsLeft: 'Nobody in the file is to be paid → Correct the file and upload it again.',
	severalFiles:
		'The input has {count} items, but one file is read at a time → Put a Loop Over Items node before this one, or choose Read From > Input Items.',
	answersNotObject:
		'{parameter} is not a JSON object → Use an expression that returns an object, such as {{ $json }}.',
	noTable:
		'The file has no table with the payments: no row has enough cells → Save the sheet as Excel Workbook (.xlsx), with a column for each value.',

	// The result of a row, and why a whole batch is not sent.
	// Rows that were not sent.
	notReached: 'Not sent',
	cancelled: 'Not sent: the execution was cancelled',
	earlierItemFailed: 'Not sent: an earlier item did not succeed',
	otherItemsInvalid:
		'Not sent: other items are invalid → Correct them, or set On Error to continue.',
	tokensRejected:
		'Not sent: the service rejected every new access token (status 401) → Test the Partner Payments credential and check the rights of the account.',
	rateLimited:
		'Not sent: the service kept answering that it receives too many requests (status 429) → Run the workflow again later, or send fewer requests at once.',
	referencesNotRecorded: `Not sent: n8n could not record which references are sent ({reason}) → ${CHECK_DATABASE}`,
	// Rows whose response does not prove that they were created.
	successContradicted: `The service answered with a success status, but its response says that it did not succeed{said} → ${LOOK_UP}`,
	noTransactionId: `The service answered with success, but without a transaction ID{said} → ${LOOK_UP}`,
	responseForOtherReference: `The service answered for another reference, {reference}, so the outcome of this row is unknown{said} → ${LOOK_UP}`,
	echoDiffers: `The service answered with transaction {transaction}, but its {name} is not the one that was sent{said} → ${LOOK_UP}`,
	failedAtOnce: `The service created transaction {transaction} with the status {status}{said} → ${LOOK_UP}`,
	undocumentedStatus:
		'Created with the status {status}, which is not documented{said} → Look it up with Transaction > Get Status before you rely on it.',
	waitsForFunding:
		'Created, waits for {funding} → Store toFund, then send it with Payout > Fund Conversions.',
	fundingDetailsUnknown:
		'Created; funding details unknown → How much to send, and where, stands only in the answer to the payout. Look where you stored its toFund, or ask the service.',
	fileNotStored: 'Created, but the file could not be stored: {reason}',
	// Rows that were already sent.
	alreadySent: `An earlier execution created this payment, so it was not sent again → ${IF_ANOTHER_PAYMENT}`,
	alreadySentByOthers: `An earlier execution found this payment in the delivery logs, so it was not sent again. The logs do not show whether payee, account and amount are those of this row → Compare the row with what was paid. ${IF_ANOTHER_PAYMENT}`,
	conflict: `An earlier execution sent this reference with another amount, payee or account, or was about to. The earlier payment stands, and this row was not sent → Look up what was paid with Transaction > Get Status. ${IF_ANOTHER_PAYMENT} If the earlier one was not created, set Duplicates: If Already Sent to Pay Again and enter its reference.`,
	purposeDiffers: `An earlier execution sent this reference with the same money and another description than {purpose}, or was about to. It was not sent again → ${IF_ANOTHER_PAYMENT} If it is the same, restore its description.`,
	sentNotProved: `An earlier execution recorded this payment, and no answer proved that it was created. Nobody knows whether it was, so it was not sent again → ${IF_NOT_CREATED}`,
	alreadyPaidAgain:
		'This reference was already paid again, so the request to pay it again has no further effect → Look it up with Transaction > Get Status. To pay it once more, enter {again} under References to Pay Again.',
	logged: `The service has logged this reference as transaction {transaction} with the status {status}, so it was not sent again → ${IF_ANOTHER_PAYMENT}`,
	loggedUnverified: `The service has logged this reference as transaction {transaction} with the status {status}, so it was not sent again. The logs do not show whether payee, account and amount are those of this row → Compare the row with what was paid. ${IF_ANOTHER_PAYMENT}`,
	loggedAsFailed:
		'The service has logged this reference as transaction {transaction}, which ended with the status {status}, so it was not sent again → Look it up with Transaction > Get Status: another transaction may have paid it. If none has and it is still due, pay it under another reference.',
	loggedWithOtherAmount: `The service has logged this reference as transaction {transaction} with {amount}, so it was not sent again. The earlier payment stands → ${IF_ANOTHER_PAYMENT}`,
	sentAccordingToInput: `The input item says that reference {reference} was already sent{asTransaction}, so it was not sent again → ${IF_NOT_CREATED}`,
	sentInThisExecution: `This execution already sent this reference{asTransaction}, for {row}, in run {run} of this node, so it was not sent again → ${IF_ANOTHER_PAYMENT}`,
	referenceChanged: `An earlier attempt of this execution sent this item under the reference {reference}{created}. The reference has changed since, so nothing was sent → ${LOOK_UP} Remove whatever changes between attempts from the reference.`,
	valuesChanged: `An earlier attempt of this execution sent this reference with other values{created}, so nothing was sent now → ${LOOK_UP} ${IF_ANOTHER_PAYMENT} If it is the same, remove values that change between attempts from its fields.`,
	unknownNotResent: `The outcome of an earlier attempt of this execution is unknown, so it was not sent again → ${LOOK_UP} If it was not created, set Duplicates: If Already Sent to Pay Again and enter its reference.`,
	duplicateOfEarlierExecution:
		'Not sent: a payment with the same payee, amount and purpose was sent in the last days under another reference → Look at what was paid. A description that the node has for all rows does not distinguish payments. If both are due, have a dry run approved that shows the duplicate, or set Duplicates: Same Payee and Amount to Allow for this run.',
	accountHeld:
		'Not sent: the payee was paid before to another account, or the account belongs to somebody else, and Account Changes is Hold → Ask the payee over a channel that you know. Then run a dry run, have it approved, and enter its fingerprint as Approval Code.',
	payeeHeld:
		'Not sent: this node has never paid the payee, and Account Changes is Hold → Check the payee. Then run a dry run, have it approved, and enter its fingerprint as Approval Code.',
	remainsUnknown: `An earlier attempt may have created it, and sending it again did not clarify it. {said} → ${LOOK_UP}`,
	// Why a whole batch is not sent.
	batchPurposeChanged:
		'Rows of this batch were already sent, or about to be, with another description than “{purpose}” → If this is another payroll, give it another Batch ID. If it is the same, restore the description.',
	accountsChanged:
		'Account Changes is Reject, and a known payee has a new account, or a known account another payee: {rows} → Ask each payee over a channel that you know. Then remove the rows, or choose Report or Hold.',
	storeUnreadable: `n8n could not look up what was already sent ({reason}) → ${CHECK_DATABASE}`,
	totalUnknown: `{option} cannot be checked: the amount of {row} is unknown → ${CORRECT_THE_OPTION}`,
	currencyWithoutLimit: `{option} has no {currency}, but the items total {total} {currency} → ${CORRECT_THE_OPTION}`,
	aboveMaximumTotal: `Maximum Totals allows {maximum} {currency}, but the items total {total} {currency} → ${CORRECT_THE_OPTION}`,
	aboveDailyLimit:
		'Daily Limit (This Node) is {limit}. {used} count today, so {left} are left, but these payments total {total} → Pay fewer items, pay the others tomorrow, or have somebody raise the limit. Payments with an unknown outcome count, too.',
	dailySpendingLost:
		'Daily Limit (This Node): how much {currency} was paid today is not known, because n8n was killed while it counted → Look up what was paid with Transaction > Get Many. The node counts again from tomorrow. To pay today, remove the option.',
	approvalOfOtherPayments: `The approved fingerprint doesn’t match these payments. Approved: {approved}. Now: {now}. If both are the same, a row or the paying account differs → ${REPEAT_DRY_RUN}`,
	noBalance:
		'Check: Balance finds no single {currency} balance for these payouts, which total {total} {currency} → Top up the balance, or pay fewer items.',
	balanceTooLow:
		'The balance is {balance} {currency}, but these payouts total {total} {currency} → Top up the balance, or pay fewer items.',
	// Columns that cannot be mapped.
	noRows:
		'The input has no row with a payment → Check the file and the settings of the node that reads it.',
	columnsMissing: `The input has no column for {fields}.\n{found} → ${MAP_THE_COLUMN}`,
	dryRun: 'Dry run: this request was not sent',
	dryRunFlagged:
		'Dry run: this request was not sent. To be looked at before it is approved: {flag}',
	countsAsSent:
		'{said}. It counts as sent, because n8n could not take it back from its memory: the next run may not pay it → It was not created. To pay it, set If Already Sent to Pay Again and enter {reference}.',
	// Messages about a whole batch.
	allAlreadySent: 'Nothing was paid now: all {count} payments were already sent. {said}',

	// What is invalid in a row. Each text continues the label of its field.
	duplicateReference: 'is the same as in {row} → Give every payment its own reference.',
	secondRow: `is the same as in {row}. The rows differ in {columns} → ${DISTINGUISH_ROWS}`,
	copiedRow: `is the same as in {row}, and so is every other column → ${DISTINGUISH_ROWS}`,
	secondRowOfRun: `is the same as in {row} → ${DISTINGUISH_ROWS}`,
	columnInOtherCurrency:
		'is in {currency}, but Currency is {other} → Correct Currency or the column. If the column is the currency, choose it under Column Mapping.',
	columnsDiffer: 'has different values in the columns {columns} → Keep one of these columns.',
	keyEmpty: 'is empty → Every item needs a value in each key column.',
	amountUnknown:
		'is unknown, so Maximum Amount cannot be checked → Enter an amount, or remove Maximum Amount.',
	aboveMaximumAmount:
		'is above the Maximum Amount of {maximum} → Check the amount, or raise Check: Maximum Amount.',
	duplicatePayment:
		'duplicates {row}: same payee, amount and purpose → Remove the row if it was copied. If both are due, say in the description of each row what it is for.',
	unknownInInput:
		'was already sent under the reference {reference}, and its outcome is unknown → Look it up with Transaction > Get Status. If it was not created, pay it with the node that sent it, under the same reference, with Duplicates: If Already Sent set to Pay Again.',
	conflictInInput:
		'was already sent with another amount, payee or account under the reference {reference}, or was about to be → Look up what was paid with Transaction > Get Status. The earlier payment stands. If this row is another payment, set Duplicates: If Already Sent to Pay Again and enter its reference.',
	heldInInput:
		'was held back by the node before, because a person has to check its payee or account → Have it checked, and pay it with the node that held it. Or set Duplicates: If Already Sent to Pay Again and enter its reference.',
	nothingToFund:
		'is of no payout that waits for crypto, so there is nothing to fund → Leave it out, for example with a Filter node. Only conversions need funding.',
	fundingUnknown:
		'is of a payout that may exist (outcome {outcome}), but its funding details are unknown → The service gives address and amount only in the answer to the payout. Ask the service for them.',
	notAsAnswered:
		'differs from the answer to the payout, which says {answer} → Take toFund as the payout gave it.',
	movedOn:
		'is of a payout with the status {status}, which no longer waits for crypto → Do not fund it. If it failed or expired, pay it under another reference. Otherwise somebody has funded it.',
	walletNotFound:
		'cannot be funded: the account has no wallet {wallet} → Choose a wallet from the list.',
	walletWithoutAsset:
		'needs {asset} on {blockchain}, but the wallet has {assets} → Choose a wallet with this asset, or fund these payouts in a separate run.',
	noBinaryFile:
		'names no file of this item → Enter the name of the binary field that the previous node gives.',

	// Get Status: notes on a row.
	neverCreated: 'The logs do not have it, and nothing was created: its outcome is {outcome}.',
	noWebhook:
		'This account has no webhook, and the service logs events for webhooks only. Publish a workflow with the Partner Payments Trigger.',
	notInLogs:
		'The logs do not have it. It may still have been created: before {since}, before the service logged its events, or just now.',
	partlyCovered:
		'No active webhook covers {missing}: if that is the newest status, the logs do not have it.',
	askTheService: 'Ask the service for the reference before you send it again.',
	severalTransactions:
		'This reference belongs to {count} transactions ({ids}). Each has an item here.',
	otherTransaction:
		'The logs do not have transaction {transaction}, but another one with its reference.',
	contradictsOutcome:
		'The outcome of this row is {outcome}, but the logs have a transaction with its reference, from an earlier run or another row.',
	earlierPayment:
		'This is the earlier payment with this reference. The row has other values and was not sent.',
	severalFinalStatuses:
		'The logs have more than one final status: {states}. Ask the service which one is valid.',
} as const;

/** Parts of messages. */
export const PHRASES = {
	and: 'and',
	or: 'or',
	is: 'is',
	dot: 'dot',
	comma: 'comma',
	row: 'row',
	rows: 'rows',
	columns: 'columns',
	cells: 'cells',
	bytes: 'bytes',
	// n8n counts items, and the editor is English.
	rowAlone: 'row {row} (item {item})',
	lookUp: LOOK_UP,
	theRow: '{row}',
	rowOfRun: '{row} of run {run} of this node',
	notSet: 'not set',
	withoutId: 'without an ID',
	createdTransaction: ', which created transaction {id}',
	asTransaction: ' as transaction {id}',
	columnsFound: 'Columns found: {columns}.',
	andMore: '{shown} and {count} more',
	nothingAnswers: 'nothing answers at its address',
	noSuchHost: 'its host name does not exist',
	hostNotLookedUp: 'its host name cannot be looked up now',
	certificateExpired: 'its certificate has expired',
	certificateNotTrusted: 'its certificate is not trusted',
	certificateOfOther: 'its certificate belongs to another host',
	noConnection: 'no connection to it can be made',
} as const;

/** The texts of reports and pages. */
export const TEXTS = {
	/** Reports. */
	report: {
		labels: {
			conflict: 'Not paid (conflict)',
			twice: 'Perhaps paid twice',
			unclear: 'To be checked',
			unknown: 'Not known',
			failed: 'Did not arrive',
			rejected: 'Rejected',
			notSent: 'Not paid',
			fundingUnknown: 'Created; funding details unknown',
			waitsForFunds: 'Created, waits for crypto',
			unconfirmed: 'Sent, arrival not known',
			repeated: 'Not paid again',
			onItsWay: 'On its way',
			created: 'Created',
			alreadySent: 'Sent in an earlier run',
			ready: 'Not sent: dry run',
			arrived: 'Arrived',
		},
		statuses: {
			failed_transaction: 'the transaction failed',
			reject_transaction: 'the transaction was rejected',
			expired_transaction: 'the transaction expired',
		},
		columns: {
			status: 'status',
			outcome: 'outcome',
			transactionId: 'transactionId',
			reference: 'reference',
			verdict: 'verdict',
			payee: 'payee',
			amount: 'amount',
			currency: 'currency',
			paidTo: 'account',
			toFund: 'toFund',
			row: 'row',
			since: 'since',
			message: 'message',
		},
		title: 'Payments',
		payments: ['payment', 'payments'],
		madeOf: '{made} of {count} payments made',
		toReview: ['to look at', 'to look at'],
		allFine: 'Nothing to look at',
		totals: 'Totals',
		count: 'Payments',
		outcomes: 'Outcomes',
		unknownAmounts: 'of them {count} without a known amount',
		toFund: 'To fund',
		notLookedUp: 'statuses that could not be looked up: {count}',
		toDo: {
			correct:
				'Correct what is wrong, if anything, and run the same file again under the same name. What was paid is not paid again.',
			runLater:
				'Do not pay these in another way: they may have been paid. Run the same file again later under the same name to see what happened. If it stays unknown, ask the service about the reference.',
			ask: 'Ask the service about the reference before you pay this in another way.',
		},
		lookFirst: 'Look at these first',
		allRows: 'All rows, in the order of the file',
		moreRows: 'The CSV file has {count} more.',
		moreToReview: 'and {count} more, in the report',
		download: 'Download the rows (CSV)',
		made: 'Made on {time}',
		preparedBy: 'Prepared by',
		approvedBy: 'Approved by',
		severalTransactions: 'its reference has several transactions',
		sameAsRow: 'the same payment as row {row}',
		noResult: 'the item is not the result of a payment',
		notLogged: 'the logs do not have it',
		earlierPayment: 'an earlier payment has its reference',
		perhapsPaid: 'it was perhaps paid',
		severalStatuses: 'the logs have more than one final status',
		contradiction: 'it was not created, but the logs have a transaction with its reference',
		conflicting: 'its reference was perhaps paid with other values than the row has now',
		on: 'on',
		to: 'to',
		row: 'Row',
		reference: 'Reference',
	},
	reconcile: {
		findings: {
			notInFile: 'Not in the file',
			otherAmount: 'Other amount',
			otherCurrency: 'Other currency',
			sameReference: 'Same reference',
			overdue: 'On its way for too long',
		},
		conflict: 'An earlier payment has its reference with other values. This row was not paid.',
		notInFile: 'No row has its reference.',
		sameReference: 'Rows that differ have this reference.',
		withoutReference: 'The row has no reference.',
		notInLogs: 'The logs do not have it (days searched: {days}). It may still have been paid.',
		notPaid: 'Its outcome is {outcome}, and the logs do not have it.',
		overdue: 'For more than {hours} h.',
		notCompared:
			'The amount was not compared: file and logs have it in different currencies, or one has none.',
	},
	cost: {
		label: 'Cost',
		known: 'about {amount} (estimate)',
		unknown: '{asset}: not known',
		quote: '{total} at {rate}, fee {fee}%, quote of {time}',
		noQuote: '{total} without a quote for {pair}',
		noCurrency: 'the service does not say in which currency the amounts are',
	},
	/** The page on which a batch is approved. */
	approval: {
		everybody: 'Who is paid',
		columns: ['Row', 'Payee', 'Amount'],
		inFile: 'In the file',
		alreadySent: 'Paid before, not paid again',
		fundedFrom: 'Paid from',
		unknownAmounts: 'Without a known amount',
		firstRun: 'Nobody was paid from here before: nobody can say who is new.',
		sandbox: 'Sandbox: a test, no money moves.',
		production: 'Production: real money.',
		unknownMoney: 'Paid through {host}. The credential does not say whether that is real money.',
		repeated:
			'Would be paid AGAIN if you approve all: {repeated}. The same payments were made before, or may have been.',
		row: 'Row {row}',
		duplicate: 'would be paid AGAIN',
		account: 'account changed, or somebody else’s',
		payee: 'first payment from here',
		again: 'already sent, or perhaps: would be paid AGAIN',
		notPaidRows: '{count} rows are not paid now',
		notPaidRow: '1 row is not paid now',
		more: 'and {count} more',
		balance: 'balance',
		conversion: 'conversion',
		nothingToPay: 'There is nothing to pay',
		nothingPayable: 'No row can be paid now',
		allSent: 'All of this was paid before',
	},
} as const;
