import { catalogue, type MessageTemplate } from '../service/messages';

/** What to do about a row whose outcome is unknown. */
export const LOOK_UP =
	'Look it up with Transaction > Get Status, or ask the service, before you pay it under another reference. It may have been created.';

const IF_NOT_CREATED =
	'Look it up with Transaction > Get Status, or ask the service. If it was not created, set Duplicates > If Already Sent to Pay Again and enter its reference.';

const CORRECT_THE_OPTION = 'Compare the input with what you expected, or correct the option.';

const REPEAT_DRY_RUN =
	'Repeat the dry run with these rows and settings, and have its fingerprint approved.';

/** The hint wherever the same payment would get another reference when it runs again. */
const USE_A_COLUMN =
	'Use an input column, or a Batch ID such as payroll-2026-11 that stays the same when the same rows run again.';

/** What to do about two rows of one payee, or with one key. Other Key Columns make other payments of all rows. */
const DISTINGUISH_ROWS =
	'Remove the row if it was copied. If both are due, add a column to Key Columns that distinguishes them and never changes, such as an invoice number. If rows of this batch were already sent, keep Key Columns as they are: pay this row alone, with another Batch ID.';

const MAP_THE_COLUMN =
	'Choose the column under Column Mapping. Enter a value that is the same in every row under Default Values.';

const CHECK_DATABASE = 'Check that n8n’s database works, then run the workflow again.';

/** The result of a row, and why a whole batch is not sent. */
export const PAYMENT_MESSAGES = {
	// Rows that were not sent.
	notReached: { outcome: 'notSent', text: 'Not sent', es: 'No se envió' },
	cancelled: {
		outcome: 'notSent',
		text: 'Not sent: the execution was cancelled',
		es: 'No se envió: la ejecución se canceló',
	},
	earlierItemFailed: {
		outcome: 'notSent',
		text: 'Not sent: an earlier item did not succeed',
		es: 'No se envió: falló un ítem anterior',
	},
	otherItemsInvalid: {
		outcome: 'notSent',
		text: 'Not sent: other items are invalid',
		hint: 'Correct them, or set On Error to continue.',
		es: 'No se envió: otros ítems tienen errores',
	},
	tokensRejected: {
		outcome: 'notSent',
		text: 'Not sent: the service rejected every new access token (status 401)',
		hint: 'Test the Partner Payments credential and check the rights of the account.',
		es: 'No se envió: el servicio rechazó todas las claves de acceso nuevas (estado 401)',
	},
	rateLimited: {
		outcome: 'notSent',
		text: 'Not sent: the service kept answering that it receives too many requests (status 429)',
		hint: 'Run the workflow again later, or send fewer requests at once.',
		es: 'No se envió: el servicio siguió respondiendo que recibe demasiadas solicitudes (estado 429)',
	},
	referencesNotRecorded: {
		outcome: 'notSent',
		text: 'Not sent: n8n could not record which references are sent ({reason})',
		hint: CHECK_DATABASE,
		es: 'No se envió: n8n no pudo guardar qué referencias se envían ({reason})',
	},

	// Rows whose response does not prove that they were created.
	successContradicted: {
		outcome: 'unknown',
		text: 'The service answered with a success status, but its response says that it did not succeed{said}',
		hint: LOOK_UP,
		es: 'El servicio respondió con un estado de éxito, pero su respuesta dice que no tuvo éxito{said}',
	},
	noTransactionId: {
		outcome: 'unknown',
		text: 'The service answered with success, but without a transaction ID{said}',
		hint: LOOK_UP,
		es: 'El servicio respondió con éxito, pero sin un ID de transacción{said}',
	},
	responseForOtherReference: {
		outcome: 'unknown',
		text: 'The service answered for another reference, {reference}, so the outcome of this row is unknown{said}',
		hint: LOOK_UP,
		es: 'El servicio respondió con otra referencia, {reference}, y este pago queda por confirmar{said}',
	},
	transactionOfOtherReference: {
		outcome: 'unknown',
		text: 'The service answered with transaction {transaction}, which belongs to the reference {reference}, so the outcome of this row is unknown{said}',
		hint: LOOK_UP,
		es: 'El servicio respondió con la transacción {transaction}, que es de la referencia {reference}, y este pago queda por confirmar{said}',
	},
	echoDiffers: {
		outcome: 'unknown',
		text: 'The service answered with transaction {transaction}, but its {name} is not the one that was sent{said}',
		hint: LOOK_UP,
		es: 'El servicio respondió con la transacción {transaction}, pero su {name} no es igual a lo que se envió{said}',
	},
	failedAtOnce: {
		outcome: 'unknown',
		text: 'The service created transaction {transaction} with the status {status}{said}',
		hint: LOOK_UP,
		es: 'El servicio creó la transacción {transaction} con el estado {status}{said}',
	},
	undocumentedStatus: {
		text: 'Created with the status {status}, which is not documented{said}',
		hint: 'Look it up with Transaction > Get Status before you rely on it.',
		es: 'Se creó con el estado {status}, que no está documentado{said}',
	},
	waitsForFunding: {
		text: 'Created, waits for {funding}',
		hint: 'Store toFund, then send it with Payout > Fund Conversions.',
		es: 'Creado, espera {funding}',
	},
	fundingDetailsUnknown: {
		text: 'Created; funding details unknown',
		hint: 'The answer does not say how much to send and where. Ask the service.',
		es: 'Creado; datos de fondeo desconocidos',
	},
	fileNotStored: { text: 'Created, but the file could not be stored: {reason}' },

	// Rows that were already sent.
	alreadySent: {
		outcome: 'alreadySent',
		text: 'An earlier execution of this node sent this reference, or was about to, so it was not sent again',
		hint: IF_NOT_CREATED,
		es: 'Una ejecución anterior de este nodo envió esta referencia, o estaba por enviarla, y no se envió otra vez',
	},
	conflict: {
		outcome: 'conflict',
		text: 'An earlier execution of this node sent this reference with another amount, payee or account, or was about to. The earlier payment stands, and this row was not sent',
		hint: 'Look up what was paid with Transaction > Get Status. If this is another payment, give it its own reference. If the earlier one was not created, set Duplicates > If Already Sent to Pay Again and enter its reference.',
		es: 'Una ejecución anterior de este nodo envió esta referencia con otro monto, beneficiario o cuenta, o estaba por enviarla. El pago anterior queda como está, y esta fila no se envió',
	},
	sentUnclear: {
		outcome: 'unknown',
		text: 'An earlier execution of this node recorded this reference, but it is not known whether it was sent, or with which values',
		hint: IF_NOT_CREATED,
		es: 'Una ejecución anterior de este nodo anotó esta referencia, pero no se sabe si se envió, ni con qué valores',
	},
	alreadyPaidAgain: {
		outcome: 'alreadySent',
		text: 'This reference was already paid again, so the request to pay it again has no further effect',
		hint: 'Look it up with Transaction > Get Status. To pay it once more, enter {reference} #{next} under References to Pay Again.',
		es: 'Esta referencia ya se pagó de nuevo, así que el pedido de pagarla otra vez no tiene más efecto',
	},
	logged: {
		outcome: 'alreadySent',
		text: 'The service has logged this reference as transaction {transaction} with the status {status}, so it was not sent again',
		hint: 'If this is another payment, give it its own reference.',
		es: 'El servicio tiene registrada esta referencia como la transacción {transaction}, con el estado {status}, así que no se envió otra vez',
	},
	loggedUnverified: {
		outcome: 'alreadySent',
		text: 'The service has logged this reference as transaction {transaction} with the status {status}, so it was not sent again. The logs do not show whether payee, account and amount are those of this row',
		hint: 'Compare the row with what was paid. If this is another payment, give it its own reference.',
		es: 'El servicio tiene registrada esta referencia como la transacción {transaction}, con el estado {status}, así que no se envió otra vez. Los registros no muestran si el beneficiario, la cuenta y el monto son los de esta fila',
	},
	loggedAsFailed: {
		outcome: 'conflict',
		text: 'The service has logged this reference as transaction {transaction}, which ended with the status {status}, so it was not sent again',
		hint: 'If it is still due, pay it under another reference.',
		es: 'El servicio tiene registrada esta referencia como la transacción {transaction}, que terminó con el estado {status}, así que no se envió otra vez',
	},
	loggedWithOtherAmount: {
		outcome: 'conflict',
		text: 'The service has logged this reference as transaction {transaction} with {amount}, so it was not sent again. The earlier payment stands',
		hint: 'If this is another payment, give it its own reference.',
		es: 'El servicio tiene registrada esta referencia como la transacción {transaction}, con {amount}, así que no se envió otra vez. El pago anterior queda como está',
	},
	sentAccordingToInput: {
		outcome: 'alreadySent',
		text: 'The input item says that reference {reference} was already sent{transaction}, so it was not sent again',
		hint: IF_NOT_CREATED,
		es: 'El ítem de entrada dice que la referencia {reference} ya se envió{transaction}, así que no se envió otra vez',
	},
	stoppedAsAlreadySent: {
		outcome: 'alreadySent',
		text: 'An earlier execution of this node sent this reference, or was about to, and If Already Sent is Stop',
		hint: IF_NOT_CREATED,
		es: 'Una ejecución anterior de este nodo envió esta referencia, o estaba por enviarla, y en If Already Sent (si ya se envió) está elegido Stop (detener)',
	},
	sentInThisExecution: {
		outcome: 'alreadySent',
		text: 'This execution already sent this reference{transaction}, for {row}, in run {run} of this node, so it was not sent again',
		hint: 'If this is another payment, give it its own reference.',
		es: 'Esta ejecución ya envió esta referencia{transaction}, para {row}, en la vuelta {run} de este nodo, y no se envió otra vez',
	},
	referenceChanged: {
		outcome: 'unknown',
		text: 'An earlier attempt of this execution sent this item under the reference {reference}{created}. The reference has changed since, so nothing was sent',
		hint: `${LOOK_UP} Remove whatever changes between attempts from the reference.`,
		es: 'Un intento anterior de esta ejecución envió este ítem con la referencia {reference}{created}. Desde entonces la referencia cambió, y no se envió nada',
	},
	valuesChanged: {
		outcome: 'conflict',
		text: 'An earlier attempt of this execution sent this reference with other values{created}, so nothing was sent now',
		hint: `${LOOK_UP} If this is another payment, give it its own reference. If it is the same, remove values that change between attempts from its fields.`,
		es: 'Un intento anterior de esta ejecución envió esta referencia con otros valores{created}, y ahora no se envió nada',
	},
	unknownNotResent: {
		outcome: 'unknown',
		text: 'The outcome of an earlier attempt of this execution is unknown, so it was not sent again',
		hint: `${LOOK_UP} If it was not created, set Duplicates > If Already Sent to Pay Again and enter its reference.`,
		es: 'Un intento anterior de esta ejecución quedó por confirmar, y no se envió otra vez',
	},
	duplicateOfEarlierExecution: {
		outcome: 'notSent',
		text: 'Not sent: a payment with the same payee, amount and purpose was sent in the last days under another reference',
		hint: 'Look at what was paid. A description that the node has for all rows does not distinguish payments. If both are due, have a dry run approved that shows the duplicate, or set Duplicates > Duplicate Payments to Allow for this run.',
		es: 'No enviada: en los últimos días se envió un pago con el mismo beneficiario, monto y glosa, con otra referencia',
	},
	accountHeld: {
		outcome: 'notSent',
		text: 'Not sent: the payee was paid before, but never to this account, and Account Changes is Hold',
		hint: 'Ask the payee over a channel that you know. Then run a dry run, have it approved, and enter its fingerprint as Approval Code.',
		es: 'No enviada: el beneficiario ya cobró, pero nunca en esta cuenta, y Account Changes (cambios de cuenta) está en Hold (retener)',
	},
	remainsUnknown: {
		outcome: 'unknown',
		text: 'An earlier attempt may have created it, and sending it again did not clarify it. {said}',
		hint: LOOK_UP,
		es: 'Es posible que un intento anterior lo haya creado, y al enviarlo otra vez no se aclaró. {said}',
	},

	// Why a whole batch is not sent.
	referencesAlreadySent: {
		text: 'Some references of this batch were already sent, and If Already Sent is Stop',
		hint: 'Look at the rows with the outcome alreadySent. Choose Skip to send the others.',
		es: 'Algunas referencias de este lote ya se enviaron, y en If Already Sent (si ya se envió) está elegido Stop (detener)',
	},
	payAgainCountDiffers: {
		text: 'Count to Pay Again is {expected}, but {count} of this batch would be paid again',
		hint: 'Look at the dry run. Enter how many items are to be paid again, or choose Pay Again and name them. A reference is paid again only once.',
	},
	accountsChanged: {
		text: 'Account Changes is Reject, and a known payee has a new account: {rows}',
		hint: 'Ask each payee over a channel that you know. Then remove the rows, or choose Report or Hold.',
		es: 'Account Changes (cambios de cuenta) está en Reject (rechazar), y un beneficiario conocido tiene otra cuenta: {rows}',
	},
	needsWholeFile: {
		text: '{option} needs all rows at once, but an earlier run of this node in the loop has sent some',
		hint: 'Pay all items in one run: the node sends thousands. Or remove the option; Maximum Totals counts all runs of a loop.',
	},
	storeUnreadable: {
		text: 'n8n could not look up which references were already sent ({reason})',
		hint: CHECK_DATABASE,
		es: 'n8n no pudo consultar qué referencias ya se enviaron ({reason})',
	},
	wrongEnvironment: {
		text: 'Required Environment is {wanted}, but the credential {credential} is for {target}',
		hint: 'Choose a credential whose Environment is {wanted}, or change Required Environment.',
		es: 'Required Environment (entorno obligatorio) es {wanted}, pero la credencial {credential} es de {target}',
	},
	unexpectedCount: {
		text: 'Expected Count is {expected}, but there are {count} items',
		hint: CORRECT_THE_OPTION,
		es: 'Expected Count (cantidad esperada) es {expected}, pero hay {count} ítems',
	},
	totalUnknown: {
		text: '{option} cannot be checked: the amount of {row} is unknown',
		hint: CORRECT_THE_OPTION,
		es: '{option} no se puede comprobar: no se conoce el monto de {row}',
	},
	unexpectedCurrency: {
		text: 'Expected Totals has no {currency}, but the items total {total} {currency}',
		hint: CORRECT_THE_OPTION,
		es: 'Expected Totals (totales esperados) no incluye {currency}, pero los ítems suman {total} {currency}',
	},
	unexpectedTotal: {
		text: 'Expected Totals has {expected} {currency}, but the items total {total} {currency}',
		hint: CORRECT_THE_OPTION,
		es: 'Expected Totals (totales esperados) dice {expected} {currency}, pero los ítems suman {total} {currency}',
	},
	currencyWithoutMaximum: {
		text: 'Maximum Totals has no {currency}, but the items total {total} {currency}',
		hint: CORRECT_THE_OPTION,
		es: 'Maximum Totals (totales máximos) no incluye {currency}, pero los ítems suman {total} {currency}',
	},
	aboveMaximumTotal: {
		text: 'Maximum Totals allows {maximum} {currency}, but the items total {total} {currency}',
		hint: CORRECT_THE_OPTION,
		es: 'Maximum Totals (totales máximos) permite {maximum} {currency}, pero los ítems suman {total} {currency}',
	},
	currencyWithoutDailyLimit: {
		text: 'Daily Limit (This Node) has no {currency}, but these payments total {total} {currency}',
		hint: CORRECT_THE_OPTION,
	},
	aboveDailyLimit: {
		text: 'Daily Limit (This Node) is {limit}. {used} count today, so {left} are left, but these payments total {total}',
		hint: 'Pay fewer items, pay the others tomorrow, or have somebody raise the limit. Payments with an unknown outcome count, too.',
		es: 'Daily Limit (This Node) (límite diario de este nodo) es {limit}. Hoy ya cuentan {used} y quedan {left}, pero estos pagos suman {total}',
	},
	dailySpendingLost: {
		text: 'Daily Limit (This Node): how much {currency} was paid today is not known, because n8n was killed twice while it counted',
		hint: 'Look up what was paid with Transaction > Get Many. The node counts again from tomorrow.',
	},
	dailySpendingUnreadable: {
		text: 'n8n could not look up how much was paid today ({reason})',
		hint: CHECK_DATABASE,
	},
	dailyLimitWithoutLock: {
		text: 'Daily Limit (This Node) needs the workflow lock, which another node of this workflow keeps: Remove Duplicates with the scope Workflow',
		hint: 'Set the scope of Remove Duplicates to Node, and clear its history. Then run the workflow again.',
	},
	dailyLimitWithoutStore: {
		text: 'Daily Limit (This Node) needs a saved workflow: n8n counts nothing before',
		hint: 'Save the workflow, then run it again.',
	},
	approvalOfOtherPayments: {
		text: 'The approved fingerprint doesn’t match these payments: {differences}',
		hint: REPEAT_DRY_RUN,
		es: 'El código de aprobación no corresponde a estos pagos: {differences}',
	},
	approvalOfOtherContent: {
		text: 'The approved fingerprint doesn’t match these payments: count and totals are the same, but a row or the paying account differs',
		hint: REPEAT_DRY_RUN,
		es: 'El código de aprobación no corresponde a estos pagos: la cantidad y los totales son iguales, pero cambió una fila o la cuenta de origen',
	},
	noBalance: {
		text: 'Check Balance First finds no single {currency} balance for these payouts, which total {total} {currency}',
		hint: 'Top up the balance, or pay fewer items.',
		es: 'Check Balance First (revisar antes el saldo) no encuentra un saldo único en {currency} para estos pagos, que suman {total} {currency}',
	},
	balanceTooLow: {
		text: 'The balance is {balance} {currency}, but these payouts total {total} {currency}',
		hint: 'Top up the balance, or pay fewer items.',
		es: 'El saldo es {balance} {currency}, pero estos pagos suman {total} {currency}',
	},
	rateTooLow: {
		text: 'The quote for {pair} is {rate}, but Minimum Rate for {currency} is {minimum}',
		hint: 'Wait for a better quote, or correct the option.',
	},
	rateUnknown: {
		text: 'The rate of {pair} is not known: {reason}',
		hint: 'See the quotes with Quote > Get Many. With Minimum Rate, nothing is sent without a quote.',
	},
	toolNeedsReference: {
		text: 'An AI agent has to give each payment a reference',
		hint: 'Set Reference Source to Given. An agent that calls the tool again for the same payment must give the same reference.',
	},
	batchChanged: {
		text: 'Batch ID or Key Columns changed while the rows were read',
		hint: USE_A_COLUMN,
	},
	batchIdMissing: {
		text: 'Batch ID is required when Reference Source is Generated From Batch ID',
		hint: 'Name the batch, and use the same name when you run it again.',
	},
	volatilePayee: {
		text: '{field} {reason}, and the reference is generated from it',
		hint: 'Use an input column, or enter Key Columns to generate the reference from them.',
	},
	keyColumnsNeeded: {
		text: '{operation} needs Key Columns to generate references, because its rows name no payee',
		hint: 'Enter the columns that identify a payment, such as the order number, or set Reference Source to Given.',
	},
	keyColumnUnnamed: {
		text: 'Key Columns has {column}, which has no letter or digit',
		hint: 'Enter the headers of the columns, separated by commas. Rename a column such as #.',
	},
	keyColumnMissing: {
		text: 'The input has no column for the Key Column {column}.\n{found}',
		hint: 'Enter the header as in the input. If rows of this batch were already sent, keep the same columns in the same order.',
	},
	keyColumnIsRowNumber: {
		text: 'The Key Column {column} numbers the rows. If a row is inserted, the others get other numbers, and somebody would be paid twice or not at all',
		hint: 'Use a column that stays with the payment, such as an employee or invoice number. Without Key Columns, the payee identifies a bank or crypto payout.',
	},
	differsFromRowToRow: {
		text: '{field} is {first} for row 1 (item 0), but {value} for row {row} (item {item})',
		hint: 'Use one value for all items of a batch, or pay the items in separate batches.',
	},

	// Columns that cannot be mapped.
	mappingOfUnknownField: {
		text: 'Column Mapping names {field}, which is not a field of this operation',
		hint: 'Choose a field from the list, or remove the entry.',
	},
	fieldMappedTwice: {
		text: 'Column Mapping has {field} twice',
		hint: 'Keep one of the entries.',
	},
	mappingWithoutColumn: {
		text: 'Column Mapping has no column for {field}',
		hint: 'Enter the header of the column, or remove the entry.',
	},
	mappedColumnMissing: {
		text: 'Column Mapping has {header} for {field}, but the input has no such column.\n{found}',
		hint: 'Enter the header exactly as in the input.',
	},
	noRows: {
		text: 'The input has no row with a payment',
		hint: 'Check the file and the settings of the node that reads it.',
		es: 'Los datos no tienen ninguna fila con un pago',
	},
	headerRowNotFound: {
		text: 'No row of the input has the column names.\n{found}',
		hint: 'Enter the number of the row with the column names under Reading > Header Row.',
		es: 'Ninguna fila de los datos tiene los nombres de las columnas.\n{found}',
	},
	headerRowMissing: {
		text: 'Header Row is {row}, but the input has {count} rows, or this one is empty',
		hint: 'Enter the number of the row with the column names, counted from 1.',
		es: 'Header Row (fila de los nombres) es {row}, pero los datos tienen {count} filas, o esa está vacía',
	},
	headersBelowTitle: {
		text: 'The column names are not in the first row of the file, but in {name}: {found}',
		hint: 'In the node that reads the file, turn off Header Row: this node then finds the row itself. Or enter {number} under Reading > Header Row.',
		es: 'Los nombres de las columnas no están en la primera fila del archivo, sino en {name}: {found}',
	},
	totalDiffers: {
		text: 'The amount {total} in {row} has no payee, as a total has none. But the payments above it total {sum}',
		hint: 'Correct the total or the payments, or remove the row. If it is a payment, enter its payee.',
		es: 'El monto {total} en {row} no tiene beneficiario, como un total. Pero los pagos de arriba suman {sum}',
	},
	bankNamesUnknown: {
		text: 'These banks have no code: {names}',
		hint: 'Add them to Reading > Bank Names with their codes, which the service has in its list of banks.',
		es: 'Estos bancos no tienen código: {names}',
		esHint:
			'Agrégalos en Reading > Bank Names (nombres de bancos) con sus códigos, que el servicio tiene en su lista de bancos.',
	},
	amountHundredfold: {
		text: 'The amount {value} in {row} is about a hundred times the others, of which the largest is {usual}. Its decimal comma may have been lost',
		hint: 'In the node that reads the file, turn on RAW Data. If the amount is right, set Before Sending > Maximum Amount.',
		es: 'El monto {value} en {row} es unas cien veces los otros, de los que el mayor es {usual}. Puede haber perdido su coma decimal',
	},
	amountThousandth: {
		text: 'The amount {value} in {row} is very small. Its thousands may have been lost, as 350.000 becomes 350',
		hint: 'In the node that reads the file, turn on RAW Data. If the amount is right, set Before Sending > Maximum Amount.',
		es: 'El monto {value} en {row} es muy pequeño. Puede haber perdido sus miles, como 350.000 se vuelve 350',
	},
	centsInNextColumn: {
		text: 'The column {column} has only short numbers. They may be digits of the amounts',
		hint: 'A comma cannot separate both decimals and columns. Save the file with semicolons, or put the amounts in quotation marks.',
		es: 'La columna {column} tiene solo números cortos. Pueden ser cifras de los montos',
	},
	currencyMissingInRows: {
		text: '{row} has no currency and would be paid in {currency}, but other rows have {other}',
		hint: 'Enter the currency in every row: a merged cell has its value in the first row only.',
		es: '{row} no tiene moneda y se pagaría en {currency}, pero otras filas tienen {other}',
	},
	secondTable: {
		text: 'A second table begins in {row}: it has column names',
		hint: 'Save each table as a separate file.',
		es: 'En {row} empieza una segunda tabla: tiene nombres de columnas',
	},
	titleInOtherCurrency: {
		text: 'The title {title} says that the amounts are in {currency}, but Currency is {other}',
		hint: 'Correct Currency or the title.',
		es: 'El título {title} dice que los montos están en {currency}, pero Currency (moneda) es {other}',
	},
	titleInThousands: {
		text: 'The title {title} says that the amounts are in thousands or millions',
		hint: 'Write the whole amounts, and correct the title.',
		es: 'El título {title} dice que los montos están en miles o millones',
	},
	columnsMissing: {
		text: 'The input has no column for {fields}.\n{found}',
		hint: MAP_THE_COLUMN,
		es: 'Los datos no tienen una columna para {fields}.\n{found}',
		esHint:
			'Elige la columna en Column Mapping (asignación de columnas). Si un valor es igual en todas las filas, escríbelo en Default Values (valores predeterminados).',
	},
	columnsMissingWithReference: {
		text: 'The input has no column for {fields}.\n{found}',
		hint: `${MAP_THE_COLUMN}\nIf the file has no references, set Reference Source to Generated From Batch ID.`,
		es: 'Los datos no tienen una columna para {fields}.\n{found}',
	},
	wrongDelimiter: {
		text: 'The input has no column for {fields}.\n{found}',
		hint: 'The whole line arrived as one column. In the node that reads the file, set Delimiter to the character between the columns, such as a semicolon.',
		es: 'Los datos no tienen una columna para {fields}.\n{found}',
		esHint:
			'Toda la línea llegó como una sola columna. En el nodo que lee el archivo, pon en Delimiter (separador) el carácter que está entre las columnas, como un punto y coma.',
	},
	wrongEncoding: {
		text: 'The input has no column for {fields}.\n{found}',
		hint: 'The file was read with the wrong encoding. Save the file as XLSX or CSV UTF-8, or change Encoding in the node that reads it.',
		es: 'Los datos no tienen una columna para {fields}.\n{found}',
		esHint:
			'El archivo se leyó con otra codificación. Guarda el archivo como XLSX o CSV UTF-8, o cambia Encoding (codificación) en el nodo que lo lee.',
	},
	ambiguousColumns: {
		text: 'More than one column can be {field}. In {row}, {columns}.',
		hint: 'Choose one under Column Mapping, or remove the others.',
		es: 'Más de una columna puede ser {field}. En {row}: {columns}.',
		esHint: 'Elige una en Column Mapping (asignación de columnas), o quita las demás.',
	},
	columnNotUsed: {
		text: 'No column is used for {field}, which is {value} then. But {column} can be it: in {row}, it has {cell}.',
		hint: 'Choose the column under Column Mapping, or remove it.',
		es: 'Ninguna columna se usa para {field}, que entonces es {value}. Pero puede ser {column}: en {row} tiene {cell}.',
	},

	dryRun: {
		text: 'Dry run: this request was not sent',
		es: 'Simulación: esta solicitud no se envió',
	},
	dryRunDuplicate: {
		text: 'Dry run: this request was not sent. It duplicates a payment of the last days; an approval of this dry run allows it',
		es: 'Simulación: esta solicitud no se envió. Duplica un pago de los últimos días; aprobar esta simulación lo permite',
	},
	dryRunAccount: {
		text: 'Dry run: this request was not sent. The payee was paid before, but never to this account; an approval of this dry run allows it',
		es: 'Simulación: esta solicitud no se envió. El beneficiario ya cobró, pero nunca en esta cuenta; aprobar esta simulación lo permite',
	},

	// Messages about a whole batch.
	rowsInvalid: {
		text: 'Nothing was sent: {bad} of {count} items are invalid',
	},
	nothingSent: { text: 'Nothing was sent. {reason}' },
	nothingMoreSent: { text: 'Nothing more was sent. {reason}' },
	executionCancelled: {
		text: 'Partner Payments: the execution was cancelled. {rows}',
	},
	batchIdDependsOnDate: {
		text: 'Batch ID depends on the date: now it is {batchId}. When it changes, the same rows are new payments. To finish this batch later, enter {batchId} as text.',
	},
	referenceDependsOnDate: {
		text: '{field} depends on the date. When it changes, the same items have other references and are new payments.',
	},
	workflowNotSaved: {
		text: 'Save the workflow. Until then n8n remembers no references, and only the service can reject one that was already sent.',
	},
	storeFull: {
		text: 'n8n keeps the last {max} entries of this node, about five for each payment. This run replaced the {dropped} oldest ones: payees first, then payments that would be sent again.',
	},
	storeEmpty: {
		text: 'This node had not sent anything before. A copy of a node or workflow begins empty: it does not know what the original sent. To find payments that others sent, turn on Before Sending > Check Delivery Logs.',
	},
	duplicatesReported: {
		text: 'Possible duplicates, with the payee, amount and purpose of another payment: {rows}',
	},
	accountChangesReported: {
		text: 'Paid before, but never to this account: {rows}',
	},
	logsWithoutWebhook: {
		text: 'Check Delivery Logs found no webhook in this account, and the service logs events for webhooks only. So it cannot tell what others sent.',
	},
	logsNotCovering: {
		text: 'Check Delivery Logs: no active webhook covers {statuses}. A payment with only these events is not in the logs.',
	},
	payAgainIsOn: {
		text: 'Set If Already Sent back to Skip. Each reference is paid again only once, but a reference that is added to the list is paid again, too.',
	},
} as const satisfies Record<string, MessageTemplate>;

/** What is invalid in a row. Each text continues the label of its field. */
export const ROW_MESSAGES = {
	volatileExecution: {
		text: 'depends on the execution, so it changes whenever the rows run again',
		hint: USE_A_COLUMN,
	},
	volatileRandomness: {
		text: 'is random, so it changes whenever the rows run again',
		hint: USE_A_COLUMN,
	},
	volatileTime: {
		text: 'depends on the time, so it changes whenever the rows run again',
		hint: USE_A_COLUMN,
	},
	volatileValue: {
		text: 'changes each time it is read',
		hint: 'Use an input column as the reference. It is the idempotency key and has to stay the same when the workflow runs again.',
	},
	partEmpty: {
		text: 'is incomplete: {part} is empty',
		hint: 'Use a column that has a value in every item.',
	},
	partNotText: {
		text: 'must be text, but {part} gives {kind}',
		hint: 'Choose one value in it, such as {{ $json.batch.id }}.',
	},
	batchIdNotText: {
		text: 'must be text, but is {kind}',
		hint: 'Choose one value in it, such as {{ $json.batch.id }}.',
	},
	valueMissing: {
		text: 'contains {value}, which an expression gives when a value is missing',
		hint: 'Use a column that has a value in every item.',
	},
	duplicateReference: {
		text: 'is the same as in {row}',
		hint: 'Give every payment its own reference.',
		es: 'es igual que en {row}',
	},
	secondRow: {
		text: 'is the same as in {row}. The rows differ in {columns}',
		hint: DISTINGUISH_ROWS,
		es: 'es igual que en {row}. Las filas difieren en {columns}',
	},
	copiedRow: {
		text: 'is the same as in {row}, and so is every other column',
		hint: DISTINGUISH_ROWS,
		es: 'es igual que en {row}, y todas las demás columnas también',
	},
	tooManyCells: {
		text: 'has {cells} filled cells, but there are fewer column names, so its values may be in the wrong columns',
		hint: 'Put a text that contains the delimiter in quotation marks, and name every column.',
		es: 'tiene {cells} celdas llenas, y hay menos nombres de columnas: sus valores pueden estar en columnas equivocadas',
	},
	columnInOtherCurrency: {
		text: 'is in {currency} by its name, but Currency is {other}',
		hint: 'Correct Currency or the column.',
		es: 'está en {currency} según su nombre, pero Currency (moneda) es {other}',
	},
	columnsDiffer: {
		text: 'has different values in the columns {columns}',
		hint: 'Keep one of these columns.',
		es: 'tiene valores distintos en las columnas {columns}',
	},
	valueQualified: {
		text: 'has {cell} in the column {column}, so it is not the whole value',
		hint: 'The number alone may belong to somebody else. Ask the service how it takes such a document, and pay this row by itself.',
		es: 'tiene {cell} en la columna {column}: no es el valor completo',
		esHint:
			'El número solo puede ser de otra persona. Pregunta al servicio cómo se escribe un documento así, y paga esta fila aparte.',
	},
	columnMisspelled: {
		text: 'matches no field',
		hint: 'Did you mean {field}? Rename the column, or remove it.',
		es: 'no corresponde a ningún campo',
	},
	rowMarked: {
		text: 'says that this row must not be paid',
		hint: 'Remove the row. If it is to be paid, correct the cell or remove the column.',
		es: 'dice que esta fila no debe pagarse',
		esHint: 'Quita la fila. Si debe pagarse, corrige la celda o quita la columna.',
	},
	keyEmpty: {
		text: 'is empty',
		hint: 'Every item needs a value in each key column.',
		es: 'está vacío',
	},
	amountUnknown: {
		text: 'is unknown, so Maximum Amount cannot be checked',
		hint: 'Enter an amount, or remove Maximum Amount.',
		es: 'no se conoce, y Maximum Amount (monto máximo) no se puede comprobar',
	},
	aboveMaximumAmount: {
		text: 'is above the Maximum Amount of {maximum}',
		hint: 'Check the amount, or raise Maximum Amount under Before Sending.',
		es: 'supera el Maximum Amount (monto máximo) de {maximum}',
	},
	duplicatePayment: {
		text: 'duplicates {row}: same payee, amount and purpose',
		hint: 'Remove the row if it was copied. If both are due, say in the description of each row what it is for, or set Duplicate Payments to Report.',
		es: 'es un pago repetido de {row}: mismo beneficiario, monto y glosa',
	},
	duplicateOfAgent: {
		text: 'duplicates a payment that this execution sent under the reference {reference} ({outcome}): same payee and amount',
		hint: 'If it is the same payment, look it up under that reference and do not pay it again. If both are due, a person has to set Duplicate Payments to Allow.',
	},
	unknownOutcomeInInput: {
		text: 'was already sent under the reference {reference}, and its outcome is unknown',
		hint: 'Look it up with Transaction > Get Status. If it was not created, pay it with the node that sent it, under the same reference, with Duplicates > If Already Sent set to Pay Again.',
		es: 'ya se envió con la referencia {reference}, y está por confirmar',
	},
	conflictInInput: {
		text: 'was already sent with another amount, payee or account under the reference {reference}, or was about to be',
		hint: 'Look up what was paid with Transaction > Get Status. The earlier payment stands. If this is another payment, give it its own reference.',
		es: 'ya se envió, o estaba por enviarse, con otro monto, beneficiario o cuenta y la referencia {reference}',
	},
	duplicateInInput: {
		text: 'was held back by the node before, because it duplicates a payment of an earlier execution',
		hint: 'If both are due, set Duplicate Payments to Report.',
		es: 'quedó retenido en el nodo anterior, porque repite un pago de una ejecución anterior',
	},
	nothingToFund: {
		text: 'has no toFund, so there is nothing to fund',
		hint: 'Leave it out, for example with a Filter node. Only conversions need funding.',
	},
	fundingUnknown: {
		text: 'is of a payout that may exist (outcome {outcome}), but its funding details are unknown',
		hint: 'The service gives address and amount only in the answer to the payout. Ask the service for them.',
	},
	notAsAnswered: {
		text: 'differs from the answer to the payout, which says {answer}',
		hint: 'Take toFund as the payout gave it.',
	},
	payoutNotCreated: {
		text: 'is of a payout that was not created (outcome {outcome}), so there is nothing to fund',
		hint: 'Leave it out.',
	},
	movedOn: {
		text: 'is of a payout with the status {status}, which no longer waits for crypto',
		hint: 'Do not fund it. If it failed or expired, pay it under another reference. Otherwise somebody has funded it.',
	},
	walletNotFound: {
		text: 'cannot be funded: the account has no wallet {wallet}',
		hint: 'Choose a wallet from the list.',
	},
	walletWithoutAsset: {
		text: 'needs {asset} on {blockchain}, but the wallet has {assets}',
		hint: 'Choose a wallet with this asset, or fund these payouts in a separate run.',
	},
	noBinaryFile: {
		text: 'names no file of this item',
		hint: 'Enter the name of the binary field that the previous node gives.',
	},
} as const satisfies Record<string, MessageTemplate>;

/** Options with an invalid value. */
export const OPTION_MESSAGES = {
	notYesOrNo: {
		text: '{option} is {value}, which is neither true nor false',
		hint: 'Turn it on or off, or use an expression that gives true or false.',
	},
	notAnOption: {
		text: '{option} is {value}, which is not one of its choices',
		hint: 'Choose one from the list, or use an expression that gives {choices}.',
	},
	notInRange: {
		text: '{option} is {value}',
		hint: 'Enter a {kind}number from {min} to {max}{hint}, or remove the option.',
	},
	notAnAmount: { text: '{option} is {value}', hint: '{hint}' },
	optionNotApplicable: {
		text: '{option} does not apply to {operation}',
		hint: 'Remove the option.',
	},
	rememberSentIsOff: {
		text: '{option} cannot stop anything while {other} is off',
		hint: 'Turn on {other}.',
	},
	noTotal: {
		text: '{option} has no entry',
		hint: 'Add an entry with its currency and amount, or remove the option.',
	},
	bankNameInvalid: {
		text: '{option} has the name {name} with the code {code}',
		hint: 'Enter a name and a code without blanks and accents.',
	},
	bankNameTwice: {
		text: '{option} has the name {name} twice, with different codes',
		hint: 'Keep one of the entries. Words such as Banco and S.A. do not count.',
	},
	noCurrency: { text: '{option} has no currency', hint: 'Enter one, such as BOB.' },
	approvalCodeEmpty: {
		text: '{option} is empty, so nothing is approved',
		hint: 'Enter the fingerprint of an approved dry run, or remove the option.',
	},
	approvalCodeInvalid: {
		text: '{option} is {value}, which is not a fingerprint',
		hint: 'Copy summary.fingerprint of a dry run completely, from its count to its last character.',
	},
	noReferencesToPayAgain: {
		text: '{option} is empty',
		hint: 'Enter the references that were not created, or set If Already Sent to Skip.',
	},
} as const satisfies Record<string, MessageTemplate>;

export const userMessage = catalogue({ ...PAYMENT_MESSAGES, ...ROW_MESSAGES, ...OPTION_MESSAGES });
