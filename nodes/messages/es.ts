import type * as en from './en';
import type { Translation } from './translation';

const USE_A_DOT = 'Usa un punto antes de los decimales, por ejemplo 1250.50.';

const COPY_AGAIN = 'Cópiala otra vez. Con un solo carácter equivocado el dinero no llega a nadie.';

const LOOK_UP =
	'Antes de pagarlo con otra referencia, pregunta al servicio, o pide a quien administra el flujo que lo busque con Transaction > Get Status (obtener el estado). Es posible que se haya creado.';

const LOOK_FIRST =
	'Leer no cambia nada, así que puede repetirse. Cualquier otra solicitud puede haberse cumplido: revísalo antes de repetirla. Si sigue así, revisa Base URL en la credencial.';

const IF_NOT_CREATED =
	'Pregunta al servicio, o pide a quien administra el flujo que lo busque con Transaction > Get Status (obtener el estado). Si no se creó, puede pagarlo otra vez: Pay Again (pagar otra vez) en Duplicates: If Already Sent, con su referencia. Si son muchos: Pay Again If Not in Logs (pagar otra vez si no está en el registro).';

const IF_ANOTHER_PAYMENT =
	'Si es otro pago, dale otra referencia, u otro nombre del lote si las referencias se generan.';

const CORRECT_THE_OPTION =
	'Compara los datos con lo que esperabas, o pide a quien administra el flujo que corrija la opción.';

const REPEAT_DRY_RUN =
	'Repite la simulación con estas filas y esta configuración, y pide que la aprueben.';

const DISTINGUISH_ROWS =
	'Quita la fila si se copió. Si hay que pagar las dos, pide a quien administra el flujo que agregue a Key Columns (columnas clave) una columna que las distinga y que nunca cambie, como el número de factura. Si ya se enviaron filas de este lote, no cambien Key Columns: paga esta fila aparte, con otro nombre del lote.';

const MAP_THE_COLUMN =
	'Cambia el nombre de la columna en el archivo, o pide a quien administra el flujo que la elija en Column Mapping (asignación de columnas). Un valor que es igual en todas las filas va en Default Values (valores predeterminados).';

const CHECK_DATABASE = 'Revisa que la base de datos de n8n funcione y ejecuta el flujo otra vez.';

/** What a page says of a message that is English. */
export const IN_ENGLISH =
	'El flujo informa en inglés: «{text}» → Pide a quien administra el flujo que lo revise.';

/** The messages of en.ts, in the same order. They say tú. A name in the editor has its translation behind it. */
export const MESSAGES = {
	// Responses and missing responses.
	loginRejected:
		'El servicio no acepta este correo con esta contraseña{said} → Revisa Email (correo) y Password (contraseña) en la credencial Partner Payments.',
	loginNotRepeated:
		'El servicio rechazó este inicio de sesión, así que no se intenta otra vez durante una hora. {reason} → Corrige la credencial Partner Payments, o pulsa su botón de prueba. Una ejecución que inicias a mano lo intenta una vez.',
	loginNotFound:
		'En {address} no se puede iniciar sesión → En la credencial Partner Payments, revisa Login Version (versión del inicio de sesión), y Base URL con el prefijo de API del servicio.',
	loginFailed:
		'El servicio respondió al inicio de sesión con el estado {status}{said} → Inténtalo más tarde, o revisa Base URL en la credencial Partner Payments.',
	loginWithoutToken:
		'El servicio respondió al inicio de sesión sin una clave de acceso{said} → Revisa Base URL (dirección del servicio) en la credencial Partner Payments.',
	loginUnreachable:
		'No se puede iniciar sesión en {host}: {reason} → Revisa Base URL en la credencial Partner Payments, y que el servicio esté disponible.',
	requestRejected:
		'El servicio rechazó la solicitud{said} → No se creó nada. Corrige el valor que nombra el servicio e inténtalo otra vez. Si es posible que una ejecución anterior haya enviado este pago, búscalo primero: el servicio puede responder así a un duplicado.',
	tokenRejected:
		'El servicio no aceptó el inicio de sesión{said} → No se creó nada. Prueba la credencial Partner Payments.',
	notAllowed:
		'El servicio no permite esta operación con esta cuenta{said} → No se creó nada. Pregunta al servicio qué permisos tiene la cuenta.',
	notFound:
		'El servicio no conoce la dirección o el ID{said} → No se creó nada. Revisa el ID, y Base URL en la credencial.',
	referenceExists:
		'El servicio ya tiene esta referencia{said} → Búscala antes de pagar con otra referencia. Es posible que la haya creado una ejecución anterior.',
	tooManyRequests:
		'El servicio recibe demasiadas solicitudes{said} → No se creó nada. Paga esta fila otra vez más tarde, o envía menos solicitudes a la vez.',
	redirected: `El servicio respondió con una redirección (estado {status}), que no se sigue: es posible que Base URL en la credencial ya no sea la dirección actual → ${LOOK_FIRST}`,
	serviceFailed: `El servicio no pudo completar la solicitud (estado {status}){said} → ${LOOK_FIRST}`,
	unreachable:
		'No se puede llegar al servicio: {reason} → No se creó nada. Revisa Base URL en la credencial y paga esta fila otra vez.',
	timedOut: `El servicio no respondió a tiempo → ${LOOK_FIRST}`,
	connectionLost: `La conexión con el servicio se cortó antes de que respondiera → ${LOOK_FIRST}`,
	cancelledWaiting: `La ejecución se canceló antes de que el servicio respondiera → ${LOOK_FIRST}`,
	cancelledUnsent:
		'La ejecución se canceló antes de enviar la solicitud → No se creó nada. Paga esta fila otra vez.',
	responseUnreadable:
		'No se leyó la respuesta del servicio: {reason} → Es posible que la solicitud haya tenido éxito: revísalo antes de enviarla otra vez. Revisa Base URL en la credencial: puede llevar a otro servidor.',
	responseWithoutList:
		'A la respuesta del servicio le falta la lista esperada → Revisa Base URL en la credencial: puede llevar a otro servidor.',
	responseWithoutObject:
		'A la respuesta del servicio le falta el objeto esperado → Es posible que la solicitud haya tenido éxito: míralo con Get Many (obtener varios) antes de enviarla otra vez. Revisa Base URL en la credencial.',
	tooManyLogPages:
		'El servicio tiene más de {pages} páginas de registros de webhooks → Para leer menos, cambia {setting}. Si el servicio no muestra primero los registros más nuevos, eso no ayuda: pide al servicio que lo haga.',

	// What is wrong with a value. Each text continues the label of its field.
	required: 'es obligatorio → Escribe un valor.',
	requiredWhen: 'es obligatorio si {condition} → Escribe un valor.',
	countryMissing:
		'es obligatorio para una moneda que no es BOB ni USD. Sin él, el servicio supone Bolivia → Escribe el país del banco, como CL, en una columna país. Si es igual en todas las filas, pide a quien administra el flujo que lo ponga en Default Values (valores predeterminados).',
	expressionFails: 'no se puede evaluar ({reason}) → Corrige la expresión.',
	notText: 'debe ser un texto → Escribe un texto o un número entero.',
	brokenLetters:
		'se leyó con otra codificación y perdió letras → Guarda el archivo como XLSX o CSV UTF-8, o pide a quien administra el flujo que cambie Encoding (codificación) en el nodo que lo lee.',
	tooLong: 'tiene {count} caracteres, y puede tener como máximo {max} → Acórtalo.',
	wrongLength: 'debe tener entre {min} y {max} caracteres → Escribe el valor completo.',
	invisibleCharacter:
		'tiene un carácter invisible ({character}) en la posición {place} → Escribe el valor otra vez a mano: el carácter se copió con el texto.',
	otherDigits: 'tiene dígitos de otra escritura → Escribe los dígitos 0 a 9.',
	signOrDecimals:
		'no puede ser negativo ni tener decimales → Revisa que el valor esté en la columna correcta, y da a la celda formato de texto.',
	spreadsheetError:
		'es un error de la hoja de cálculo → Corrige la fórmula del archivo, o escribe el valor.',
	placeholder: 'es un relleno o un ejemplo → Escribe el valor real.',
	noNumber: 'no tiene ningún dígito distinto de 0 → Escribe el número del beneficiario.',
	notAccountNumber:
		'solo puede tener dígitos y letras → Escribe un solo número de cuenta. Quita los separadores y conserva los ceros iniciales, o pide que el archivo se lea con Payout > Read Payment File (leer el archivo de pagos), que pregunta qué hacer con los separadores.',
	bankName:
		'es el nombre de un banco sin código → Escribe el código, que el servicio tiene en su lista de bancos, o pide a quien administra el flujo que agregue el nombre en Values: Bank Names (nombres de bancos).',
	notDigits:
		'solo puede tener dígitos → Quita los espacios, puntos y guiones entre los dígitos. Si el número tiene letras o un dígito después de un guion, pregunta al servicio cómo se escribe un documento así: sin ellos puede ser el número de otra persona.',
	wrongDigitCount:
		'debe tener entre {min} y {max} dígitos, y tiene {count} → Si el documento empieza con ceros, revisa que la planilla los haya conservado.',
	notUuid: 'debe ser un UUID → {hint}',
	notAChoice: 'debe ser uno de estos: {choices} → Elige uno de ellos.',
	notCryptoAddress: `debe ser una dirección válida en {blockchain} → ${COPY_AGAIN} Revisa también la blockchain.`,
	notOnAssumedBlockchain:
		'debe ser una dirección de {blockchain} (0x y 40 dígitos hexadecimales) mientras no se indique Blockchain → Indica Blockchain, o escribe una dirección de {blockchain}. Sin ella, el servicio toma {blockchain}.',
	wrongChecksum: `tiene una suma de control equivocada: cambió un dígito, o una mayúscula por una minúscula → ${COPY_AGAIN}`,
	zeroAddress: 'es la dirección cero, que no es de nadie → Escribe la dirección del beneficiario.',
	tokenContract:
		'es el contrato del token {token} en {blockchain}, y lo que se le envía se pierde → Escribe la dirección del beneficiario.',
	notClockTime: 'debe ser una hora HH:MM:SS, de 00:00:00 a 23:59:59 → Por ejemplo 01:30:00.',
	notEmail: 'debe ser un correo electrónico → Por ejemplo maria@example.com.',
	notWebAddress: 'debe ser una dirección web → Por ejemplo https://example.com/callback.',
	notNumber: `debe ser un número → Quita los signos de moneda y las palabras. ${USE_A_DOT}`,
	otherDecimalSeparator:
		'no usa {separator} decimal → Escríbelo como los demás montos de la columna.',
	ambiguousAmount:
		'se puede leer como más de un monto → Escríbelo sin separadores de miles y con cualquier cantidad de decimales menos 3, como 1250.50.',
	lostDigits:
		'perdió dígitos: una planilla lo redondeó o lo escribió en notación científica → Da a la celda formato de texto y escribe otra vez el valor completo. Redondea los valores calculados.',
	notPositive: 'debe ser mayor que 0 → Escribe un monto positivo.',
	tooManyDecimals: 'puede tener como máximo {places} decimales → Redondéalo a {places} decimales.',
	tooManyDigits:
		'tiene más dígitos de los que se pueden enviar con exactitud → Usa como máximo 15 dígitos.',

	// Payment files: why one cannot be read, why a row is held, and what is asked.
	fileTooLarge:
		'El archivo tiene más {what} que un archivo de pagos ({max}) → Guarda solo la hoja con los pagos, o copia sus filas a un archivo nuevo.',
	filePassword: 'El archivo tiene contraseña → Ábrelo y guárdalo sin contraseña.',
	otherFormat:
		'El archivo es {format}, y no XLSX, ODS ni CSV → Ábrelo en Excel y guárdalo como Libro de Excel (.xlsx).',
	notASheet: 'El archivo no es XLSX, ODS ni CSV → Guarda la hoja como Libro de Excel (.xlsx).',
	damagedFile: 'El archivo está dañado → Ábrelo, guárdalo de nuevo y sube ese archivo.',
	openQuote: 'Unas comillas de la fila {row} no se cierran → Quítalas o ciérralas.',

	// What a payment file asks, and why a row of it is not paid.
	whichSheet: '¿Qué hoja tiene los pagos?',
	whichHeader: '¿Qué fila tiene los nombres de las columnas?',
	noHeader: 'Ninguna fila tiene nombres de columnas',
	whichColumn: '¿En qué columna está {field}?',
	noColumn: 'Ninguna de estas columnas',
	whichForAll: '{field}: ¿cuál es el de todas las filas?',
	whichValue: '{field}: ¿qué es {text}?',
	useDefault: 'Como si la celda estuviera vacía: cuenta el valor predeterminado, si lo hay',
	whichDecimal: '¿Cómo se lee {text}?',
	decimalComma: 'La coma es decimal',
	decimalDot: 'El punto es decimal',
	whichNameOrder: '¿Cómo están escritos los nombres en {header}?',
	namesFirst1: 'Nombres, un apellido',
	namesFirst2: 'Nombres, dos apellidos',
	surnamesFirst1: 'Un apellido, nombres',
	surnamesFirst2: 'Dos apellidos, nombres',
	whichRemarks:
		'Estas columnas no se usan. ¿Alguna dice que a alguien no se le paga, o que se le paga de otra forma?',
	asWritten: '{text}',
	noRemarks: 'Ninguna',
	whichKey: '{name} está en las filas {rows}. ¿Qué columna distingue los pagos?',
	onlyFirst: 'Pagar solo la primera fila de cada uno',
	onlyLast: 'Pagar solo la última fila de cada uno',
	payEach: 'Pagar todas las filas: son pagos distintos',
	heldRow: 'Fila {row}: {name}',
	leaveOut: 'No pagar',
	whichRows:
		'Marca lo que sí se paga. Una fila se paga solo si marcas todo lo que se dice de ella.',
	payNone: 'No pagar ninguna',
	unpayableRows: 'Filas que no se pueden pagar: {count}',
	leaveAllOut: 'Dejarlas fuera',
	columnField: 'Dato',
	columnHeader: 'Columna',
	columnSample: 'Por ejemplo',
	columnBefore: 'Antes',
	columnNow: 'Ahora',
	columnDifference: 'Diferencia',
	rowNumber: 'Fila {row}',
	leftOutRows: 'Filas del archivo que no se pagan: {count}',
	confirmedRows: 'Filas que confirmó quien subió el archivo: {count}',
	moreRows: 'y {count} más',
	comparedWith: 'Comparado con {name}',
	sameAs: 'Las mismas personas, cuentas y montos que en {name}',
	rowTotal: '{text}: la suma de las filas de arriba',
	rowZero: '{text}: el monto falta o es 0',
	rowAbove: 'está encima de los nombres de columnas',
	rowOther: '{text}: el monto está vacío, pero {header} no',
	rowLeftOut: 'La dejó fuera quien subió el archivo',
	rowWithoutPayee: '{text}: un monto sin beneficiario, que no es la suma de las filas de arriba',
	rowUnreadable:
		'{field} es una fecha, un porcentaje, un error, un texto demasiado largo o un valor que su formato oculta: {text}',
	rowSign: 'el monto tiene el signo {sign}, que no es una moneda que se pueda pagar',
	rowCheckDigits: '{field} tiene dígitos de control que no coinciden ({text}): cambió un carácter',
	rowValueInvalid: '{field}{value} {reason}',
	heldHidden: 'está oculta o filtrada',
	heldStruck: 'está tachada',
	heldComment: 'un comentario dice: {text}',
	heldRounded: 'la celda muestra {shown}, pero contiene {exact}',
	heldCurrency: 'el archivo dice {sign}, donde se esperaba {own}; se pagaría en {currency}',
	heldNoCurrency: 'su moneda o red está vacía, y sería {currency}',
	heldSum: 'su monto es la suma de otras filas',
	heldCopied: 'su documento, su cuenta o su monto tienen el mismo número',
	heldLetters: 'a diferencia de casi todas las cuentas, tiene una letra: {text}',
	heldLength: '{text} es más corto o más largo que todos los demás de su clase',
	heldShared: 'su cuenta es también la de otro beneficiario',
	heldFill: 'su color no es el de todas las filas',
	heldApart: 'está lejos de la tabla, debajo de filas vacías',
	heldOther: 'otra fila del mismo beneficiario no se puede pagar',
	heldExchanged: 'su documento parece una cuenta, y su cuenta un documento',
	heldInside: 'el código QR dice monto {amount}, moneda {currency} (068 es el boliviano)',
	rowMoved: 'está debajo de nombres de columnas en otro orden: {text}',
	heldMerged: 'su monto, cuenta o documento está combinado con el de otra fila',
	heldZeros: '{text} es más corto que los demás de su columna, y puede haber perdido ceros',
	heldBelow: 'está debajo de: {text}',
	heldUnit: 'bajo "{text}", {amount} se paga como está escrito, ni en centavos ni en miles',
	heldLines: 'solo la primera línea es el nombre: {text}',
	heldNumber: '{field} {text} se envía como {number}',
	heldRemark: '{header}: {text}',
	heldName: 'el nombre tiene una observación: {name}',
	hiddenSheet: 'La hoja oculta {name} no se lee',
	otherSheet: 'La hoja {name} no se lee',
	noPaymentsLeft: 'Del archivo no hay que pagar a nadie → Corrige el archivo y súbelo otra vez.',
	severalFiles:
		'La entrada tiene {count} ítems, pero se lee un archivo a la vez → Pon un nodo Loop Over Items antes de este, o elige Read From > Input Items (ítems de entrada).',
	answersNotObject:
		'{parameter} no es un objeto JSON → Usa una expresión que devuelva un objeto, como {{ $json }}.',
	noTable:
		'El archivo no tiene una tabla con los pagos: ninguna fila tiene celdas suficientes → Guarda la hoja como Libro de Excel (.xlsx), con una columna para cada dato.',

	// The result of a row, and why a whole batch is not sent.
	// Rows that were not sent.
	notReached: 'No se envió',
	cancelled: 'No se envió: la ejecución se canceló',
	earlierItemFailed: 'No se envió: falló una fila anterior',
	otherItemsInvalid:
		'No se envió: otras filas tienen errores → Corrígelas y paga el archivo otra vez.',
	tokensRejected:
		'No se envió: el servicio rechazó todas las claves de acceso nuevas (estado 401) → Prueba la credencial Partner Payments y revisa los permisos de la cuenta.',
	rateLimited:
		'No se envió: el servicio siguió respondiendo que recibe demasiadas solicitudes (estado 429) → Ejecuta el flujo otra vez más tarde, o envía menos solicitudes a la vez.',
	referencesNotRecorded: `No se envió: n8n no pudo guardar qué referencias se envían ({reason}) → ${CHECK_DATABASE}`,
	// Rows whose response does not prove that they were created.
	successContradicted: `El servicio respondió con un estado de éxito, pero su respuesta dice que no tuvo éxito{said} → ${LOOK_UP}`,
	noTransactionId: `El servicio respondió con éxito, pero sin un ID de transacción{said} → ${LOOK_UP}`,
	responseForOtherReference: `El servicio respondió con otra referencia, {reference}, y este pago queda por confirmar{said} → ${LOOK_UP}`,
	echoDiffers: `El servicio respondió con la transacción {transaction}, pero su {name} no es igual a lo que se envió{said} → ${LOOK_UP}`,
	failedAtOnce: `El servicio creó la transacción {transaction} con el estado {status}{said} → ${LOOK_UP}`,
	undocumentedStatus:
		'Se creó con el estado {status}, que no está documentado{said} → Antes de darlo por pagado, pide a quien administra el flujo que lo busque con Transaction > Get Status (obtener el estado).',
	waitsForFunding:
		'Creado, espera {funding} → Guarda toFund y luego envíalo con Payout > Fund Conversions (financiar conversiones).',
	fundingDetailsUnknown:
		'Creado; datos de fondeo desconocidos → Cuánto enviar, y adónde, está solo en la respuesta al pago. Mira donde guardaste su toFund, o pregunta al servicio.',
	fileNotStored: 'Se creó, pero no se pudo guardar el archivo: {reason}',
	// Rows that were already sent.
	alreadySent: `Una ejecución anterior creó este pago, y no se envió otra vez → ${IF_ANOTHER_PAYMENT}`,
	alreadySentByOthers: `Una ejecución anterior encontró este pago en los registros del servicio, y no se envió otra vez. Los registros no muestran si el beneficiario, la cuenta y el monto son los de esta fila → Compara la fila con lo que se pagó. ${IF_ANOTHER_PAYMENT}`,
	conflict: `Una ejecución anterior envió esta referencia con otro monto, beneficiario o cuenta, o estaba por enviarla. El pago anterior queda como está, y esta fila no se envió → Pide a quien administra el flujo que busque qué se pagó con Transaction > Get Status (obtener el estado). ${IF_ANOTHER_PAYMENT} Si el anterior no se creó, puede pagarse otra vez con Pay Again (pagar otra vez) en Duplicates: If Already Sent.`,
	purposeDiffers: `Una ejecución anterior envió esta referencia con el mismo monto y otra glosa que {purpose}, o estaba por enviarla. No se envió otra vez → ${IF_ANOTHER_PAYMENT} Si es el mismo, repón su glosa.`,
	sentNotProved: `Una ejecución anterior anotó este pago, y ninguna respuesta probó que se haya creado. No se sabe si existe, y no se envió otra vez → ${IF_NOT_CREATED}`,
	alreadyPaidAgain:
		'Esta referencia ya se pagó de nuevo, así que el pedido de pagarla otra vez no tiene más efecto → Pide a quien administra el flujo que la busque con Transaction > Get Status (obtener el estado). Para pagarla una vez más, se escribe {again} en References to Pay Again (referencias que se pagan otra vez).',
	logged: `El servicio tiene registrada esta referencia como la transacción {transaction}, con el estado {status}, así que no se envió otra vez → ${IF_ANOTHER_PAYMENT}`,
	loggedUnverified: `El servicio tiene registrada esta referencia como la transacción {transaction}, con el estado {status}, así que no se envió otra vez. Los registros no muestran si el beneficiario, la cuenta y el monto son los de esta fila → Compara la fila con lo que se pagó. ${IF_ANOTHER_PAYMENT}`,
	loggedAsFailed:
		'El servicio tiene registrada esta referencia como la transacción {transaction}, que terminó con el estado {status}, así que no se envió otra vez → Pide a quien administra el flujo que la busque con Transaction > Get Status (obtener el estado): puede haberla pagado otra transacción. Si ninguna la pagó y todavía corresponde, págala con otra referencia.',
	loggedWithOtherAmount: `El servicio tiene registrada esta referencia como la transacción {transaction}, con {amount}, así que no se envió otra vez. El pago anterior queda como está → ${IF_ANOTHER_PAYMENT}`,
	sentAccordingToInput: `El ítem de entrada dice que la referencia {reference} ya se envió{asTransaction}, así que no se envió otra vez → ${IF_NOT_CREATED}`,
	sentInThisExecution: `Esta ejecución ya envió esta referencia{asTransaction}, para {row}, en la vuelta {run} de este nodo, y no se envió otra vez → ${IF_ANOTHER_PAYMENT}`,
	referenceChanged: `Un intento anterior de esta ejecución envió este ítem con la referencia {reference}{created}. Desde entonces la referencia cambió, y no se envió nada → ${LOOK_UP} Quita de la referencia lo que cambia entre un intento y otro.`,
	valuesChanged: `Un intento anterior de esta ejecución envió esta referencia con otros valores{created}, y ahora no se envió nada → ${LOOK_UP} ${IF_ANOTHER_PAYMENT} Si es el mismo, quita de sus campos los valores que cambian entre un intento y otro.`,
	unknownNotResent: `Un intento anterior de esta ejecución quedó por confirmar, y no se envió otra vez → ${LOOK_UP} Si no se creó, puede pagarlo otra vez: Pay Again (pagar otra vez) en Duplicates: If Already Sent, con su referencia.`,
	duplicateOfEarlierExecution:
		'No enviada: en los últimos días se envió un pago con el mismo beneficiario, monto y glosa, con otra referencia → Mira qué se pagó. Una glosa que el nodo tiene para todas las filas no distingue los pagos. Si corresponden los dos, haz aprobar una simulación que muestre el duplicado, o pide a quien administra el flujo que elija Allow (permitir) en Duplicates: Same Payee and Amount (pagos duplicados) para esta ejecución.',
	accountHeld:
		'No enviada: el beneficiario ya cobró en otra cuenta, o la cuenta es de otra persona, y Account Changes (cambios de cuenta) está en Hold (retener) → Pregunta al beneficiario por un medio que conozcas. Después haz una simulación y hazla aprobar.',
	payeeHeld:
		'No enviada: este nodo nunca pagó al beneficiario, y Account Changes (cambios de cuenta) está en Hold (retener) → Revisa el beneficiario. Después haz una prueba con Dry Run, hazla aprobar y escribe su código en Approval Code (código de aprobación).',
	remainsUnknown: `Es posible que un intento anterior lo haya creado, y al enviarlo otra vez no se aclaró. {said} → ${LOOK_UP}`,
	// Why a whole batch is not sent.
	batchPurposeChanged:
		'Filas de este lote ya se enviaron, o estaban por enviarse, con otra glosa que “{purpose}” → Si es otra planilla, dale otro Batch ID (ID del lote). Si es la misma, repón la glosa.',
	accountsChanged:
		'Account Changes (cambios de cuenta) está en Reject (rechazar), y un beneficiario conocido tiene otra cuenta, o una cuenta conocida otro beneficiario: {rows} → Pregunta a cada beneficiario por un canal que conozcas. Después quita las filas, o elige Report (informar) o Hold (retener).',
	storeUnreadable: `n8n no pudo consultar qué se envió ya ({reason}) → ${CHECK_DATABASE}`,
	totalUnknown: `{option} no se puede comprobar: no se conoce el monto de {row} → ${CORRECT_THE_OPTION}`,
	currencyWithoutLimit: `{option} no tiene {currency}, pero los ítems suman {total} {currency} → ${CORRECT_THE_OPTION}`,
	aboveMaximumTotal: `Maximum Totals (totales máximos) permite {maximum} {currency}, pero los ítems suman {total} {currency} → ${CORRECT_THE_OPTION}`,
	aboveDailyLimit:
		'Daily Limit (This Node) (límite diario de este nodo) es {limit}. Hoy ya cuentan {used} y quedan {left}, pero estos pagos suman {total} → Paga menos ítems, paga los demás mañana, o pide que alguien suba el límite. También cuentan los pagos por confirmar.',
	dailySpendingLost:
		'Daily Limit (This Node) (límite diario de este nodo): no se sabe cuánto {currency} se pagó hoy, porque n8n se cerró a la fuerza mientras lo contaba → Busca lo que se pagó con Transaction > Get Many (obtener varias). El nodo vuelve a contar desde mañana. Para pagar hoy, quita la opción.',
	approvalOfOtherPayments: `El código de aprobación no corresponde a estos pagos. Aprobado: «{approved}». Ahora: «{now}». Si son iguales, cambió una fila o la cuenta de origen → ${REPEAT_DRY_RUN}`,
	noBalance:
		'Check: Balance (revisar antes el saldo) no encuentra un saldo único en {currency} para estos pagos, que suman {total} {currency} → Recarga el saldo, o paga menos ítems.',
	balanceTooLow:
		'El saldo es {balance} {currency}, pero estos pagos suman {total} {currency} → Recarga el saldo, o paga menos ítems.',
	// Columns that cannot be mapped.
	noRows:
		'Los datos no tienen ninguna fila con un pago → Revisa el archivo y las opciones del nodo que lo lee.',
	columnsMissing: `Los datos no tienen una columna para {fields}.\n{found} → ${MAP_THE_COLUMN}`,
	dryRun: 'Simulación: esta solicitud no se envió',
	dryRunFlagged: 'Simulación: esta solicitud no se envió. Míralo antes de aprobar: {flag}',
	allAlreadySent: 'Ahora no se pagó nada: los {count} pagos ya se habían enviado. {said}',
	countsAsSent:
		'{said}. Cuenta como enviado, porque n8n no pudo quitarlo de su memoria: puede que la próxima ejecución no lo pague → No se creó. Para pagarlo: Pay Again (pagar otra vez) en If Already Sent (si ya se envió), con {reference}.',
	// Messages about a whole batch.

	// What is invalid in a row. Each text continues the label of its field.
	duplicateReference: 'es igual que en {row} → Da a cada pago su propia referencia.',
	secondRow: `es igual que en {row}. Las filas difieren en {columns} → ${DISTINGUISH_ROWS}`,
	copiedRow: `es igual que en {row}, y todas las demás columnas también → ${DISTINGUISH_ROWS}`,
	secondRowOfRun: `es igual que en {row} → ${DISTINGUISH_ROWS}`,
	columnInOtherCurrency:
		'está en {currency}, pero la moneda es {other} → Corrige la moneda o la columna. Si la columna es la moneda, pide a quien administra el flujo que la elija en Column Mapping (columnas).',
	columnsDiffer:
		'tiene valores distintos en las columnas {columns} → Deja una sola de estas columnas.',
	keyEmpty: 'está vacío → Cada ítem necesita un valor en todas las columnas clave.',
	amountUnknown:
		'no se conoce, y Maximum Amount (monto máximo) no se puede comprobar → Escribe un monto, o pide a quien administra el flujo que quite Maximum Amount.',
	aboveMaximumAmount:
		'supera el Maximum Amount (monto máximo) de {maximum} → Revisa el monto, o pide a quien administra el flujo que suba Check: Maximum Amount.',
	duplicatePayment:
		'es un pago repetido de {row}: mismo beneficiario, monto y glosa → Quita la fila si se copió. Si hay que pagar las dos, escribe en la glosa de cada fila para qué es.',
	unknownInInput:
		'ya se envió con la referencia {reference}, y está por confirmar → Consúltalo con Transaction > Get Status (obtener el estado). Si no se creó, págalo con el nodo que lo envió, con la misma referencia, y con Duplicates: If Already Sent en Pay Again (pagar otra vez).',
	conflictInInput:
		'ya se envió, o estaba por enviarse, con otro monto, beneficiario o cuenta y la referencia {reference} → Busca lo que se pagó con Transaction > Get Status (obtener el estado). El pago anterior sigue en pie. Si este es otro, pide a quien administra el flujo que elija Pay Again (pagar otra vez) en Duplicates: If Already Sent y escriba su referencia.',
	heldInInput:
		'quedó retenido en el nodo anterior, porque una persona debe revisar su beneficiario o su cuenta → Hazlo revisar y págalo con el nodo que lo retuvo. O pide a quien administra el flujo que elija Pay Again (pagar otra vez) en Duplicates: If Already Sent y escriba su referencia.',
	nothingToFund:
		'no es de un pago que espera cripto, así que no hay nada que fondear → Déjalo fuera, por ejemplo con un nodo Filter. Solo las conversiones necesitan fondeo.',
	fundingUnknown:
		'es de un pago que puede existir (resultado {outcome}), pero no se conocen los datos para financiarlo → El servicio da la dirección y el monto solo en la respuesta al pago. Pídeselos al servicio.',
	notAsAnswered:
		'es distinto de lo que dice la respuesta al pago: {answer} → Usa toFund tal como lo dio el pago.',
	movedOn:
		'es de un pago con el estado {status}, que ya no espera cripto → No lo financies. Si falló o venció, págalo con otra referencia. Si no, alguien ya lo financió.',
	walletNotFound:
		'no se puede financiar: la cuenta no tiene la billetera {wallet} → Elige una billetera de la lista.',
	walletWithoutAsset:
		'necesita {asset} en {blockchain}, pero la billetera tiene {assets} → Elige una billetera con ese activo, o financia esos pagos en otra ejecución.',
	noBinaryFile:
		'no es el nombre de un archivo de este ítem → Escribe el nombre del campo binario que da el nodo anterior.',

	// Get Status: notes on a row.
	neverCreated: 'Los registros no lo tienen, y no se creó nada: su resultado es {outcome}.',
	noWebhook:
		'Esta cuenta no tiene ningún webhook, y el servicio solo registra eventos para webhooks. Publica un flujo con el Partner Payments Trigger.',
	notInLogs:
		'Los registros no lo tienen. Aun así es posible que se haya creado: antes del {since}, antes de que el servicio registrara sus eventos, o recién.',
	partlyCovered:
		'Ningún webhook activo cubre {missing}: si ese es el estado más nuevo, los registros no lo tienen.',
	askTheService: 'Pregunta al servicio por la referencia antes de enviarla otra vez.',
	severalTransactions:
		'Esta referencia es de {count} transacciones ({ids}). Cada una tiene aquí un ítem.',
	otherTransaction:
		'Los registros no tienen la transacción {transaction}, sino otra con su referencia.',
	contradictsOutcome:
		'El resultado de esta fila es {outcome}, pero los registros tienen una transacción con su referencia, de una ejecución anterior o de otra fila.',
	earlierPayment:
		'Este es el pago anterior con esta referencia. La fila tiene otros valores y no se envió.',
	severalFinalStatuses:
		'Los registros tienen más de un estado final: {states}. Pregunta al servicio cuál es el válido.',
} as const satisfies Translation<typeof en.MESSAGES>;

export const PHRASES = {
	and: 'y',
	or: 'o',
	is: 'es',
	dot: 'punto',
	comma: 'coma',
	row: 'fila',
	rows: 'filas',
	columns: 'columnas',
	cells: 'celdas',
	bytes: 'bytes',
	rowAlone: 'fila {row}',
	lookUp: LOOK_UP,
	theRow: 'la {row}',
	rowOfRun: 'la {row} de la vuelta {run} de este nodo',
	notSet: 'ninguna',
	withoutId: 'sin ID',
	createdTransaction: ', que creó la transacción {id}',
	asTransaction: ' como la transacción {id}',
	columnsFound: 'Columnas encontradas: {columns}.',
	andMore: '{shown} y {count} más',
	nothingAnswers: 'nada responde en su dirección',
	noSuchHost: 'su nombre de servidor no existe',
	hostNotLookedUp: 'su nombre de servidor no se puede consultar ahora',
	certificateExpired: 'su certificado venció',
	certificateNotTrusted: 'su certificado no es de confianza',
	certificateOfOther: 'su certificado es de otro servidor',
	noConnection: 'no se puede abrir una conexión con él',
} as const satisfies Translation<typeof en.PHRASES>;

export const TEXTS = {
	/** Reports. */
	report: {
		labels: {
			conflict: 'No pagado (conflicto)',
			twice: 'Quizás se pagó dos veces',
			unclear: 'Por revisar',
			unknown: 'Por confirmar',
			failed: 'No llegó',
			rejected: 'Rechazado',
			notSent: 'No pagado',
			fundingUnknown: 'Creado; datos de fondeo desconocidos',
			waitsForFunds: 'Creado, espera cripto',
			unconfirmed: 'Enviado, no se sabe si llegó',
			repeated: 'No se pagó otra vez',
			onItsWay: 'En camino',
			created: 'Creado',
			alreadySent: 'Enviado en una ejecución anterior',
			ready: 'No enviado: simulación',
			arrived: 'Abonado',
		},
		statuses: {
			failed_transaction: 'la transacción falló',
			reject_transaction: 'la transacción fue rechazada',
			expired_transaction: 'la transacción venció',
		},
		columns: {
			status: 'status',
			outcome: 'outcome',
			transactionId: 'transactionId',
			reference: 'reference',
			verdict: 'resultado',
			payee: 'beneficiario',
			amount: 'monto',
			currency: 'moneda',
			paidTo: 'cuenta',
			toFund: 'por fondear',
			row: 'fila',
			since: 'desde',
			message: 'detalle',
		},
		title: 'Pagos',
		payments: ['pago', 'pagos'],
		madeOf: '{made} de {count} pagos hechos',
		toReview: ['por revisar', 'por revisar'],
		allFine: 'Nada por revisar',
		totals: 'Totales',
		count: 'Pagos',
		outcomes: 'Resultados',
		unknownAmounts: 'de ellos, {count} sin monto conocido',
		toFund: 'Por fondear',
		notLookedUp: 'no se pudo consultar el estado de {count}',
		toDo: {
			correct:
				'Corrige lo que haga falta y procesa otra vez el mismo archivo con el mismo nombre. Lo que ya se pagó no se paga otra vez.',
			runLater:
				'No los pagues de otra manera: quizás se pagaron. Más tarde procesa otra vez el mismo archivo con el mismo nombre para ver qué pasó. Si sigue sin saberse, pregunta al servicio por la referencia.',
			ask: 'Pregunta al servicio por la referencia antes de pagarlo de otra manera.',
		},
		lookFirst: 'Revisa esto primero',
		allRows: 'Todas las filas, en el orden del archivo',
		moreRows: 'El archivo CSV tiene {count} más.',
		moreToReview: 'y {count} más, en el reporte',
		download: 'Descargar las filas (CSV)',
		made: 'Generado el {time}',
		preparedBy: 'Elaborado por',
		approvedBy: 'Aprobado por',
		severalTransactions: 'su referencia tiene varias transacciones',
		sameAsRow: 'es el mismo pago que la fila {row}',
		noResult: 'el dato no es el resultado de un pago',
		notLogged: 'no está en los registros',
		earlierPayment: 'un pago anterior tiene su referencia',
		perhapsPaid: 'quizás se pagó',
		severalStatuses: 'los registros tienen más de un estado final',
		contradiction: 'no se creó, pero los registros tienen una transacción con su referencia',
		conflicting: 'su referencia quizás se pagó con otros valores que los de la fila',
		on: 'en',
		to: 'a',
		row: 'Fila',
		reference: 'Referencia',
	},
	reconcile: {
		findings: {
			notInFile: 'No está en el archivo',
			otherAmount: 'Otro monto',
			otherCurrency: 'Otra moneda',
			sameReference: 'Misma referencia',
			overdue: 'En camino hace demasiado',
		},
		conflict: 'Un pago anterior tiene su referencia con otros valores. Esta fila no se pagó.',
		notInFile: 'Ninguna fila tiene su referencia.',
		sameReference: 'Filas distintas tienen esta referencia.',
		withoutReference: 'La fila no tiene referencia.',
		notInLogs: 'Los registros no lo tienen (días revisados: {days}). Aun así pudo pagarse.',
		notPaid: 'Su resultado es {outcome}, y los registros no lo tienen.',
		overdue: 'Hace más de {hours} h.',
		notCompared:
			'El monto no se comparó: el archivo y los registros lo tienen en monedas distintas, o falta en uno.',
	},
	cost: {
		label: 'Costo',
		known: 'unos {amount} (estimación)',
		unknown: '{asset}: no se sabe',
		quote: '{total} a {rate}, comisión {fee} %, cotización de {time}',
		noQuote: '{total} sin cotización de {pair}',
		noCurrency: 'el servicio no dice en qué moneda están los montos',
	},
	/** The page on which a batch is approved. */
	approval: {
		everybody: 'A quién se paga',
		columns: ['Fila', 'Beneficiario', 'Monto'],
		inFile: 'En el archivo',
		alreadySent: 'Pagados antes, no se pagan otra vez',
		fundedFrom: 'Origen de los fondos',
		unknownAmounts: 'Sin monto conocido',
		firstRun: 'Desde aquí todavía no se pagó a nadie: no se puede saber quién es nuevo.',
		sandbox: 'Entorno de pruebas: no se mueve dinero.',
		production: 'Producción: dinero real.',
		unknownMoney: 'Se paga por {host}. La credencial no dice si es dinero real.',
		repeated:
			'Si apruebas todo, se pagarían OTRA VEZ: {repeated}. Los mismos pagos ya se hicieron, o quizás se hicieron.',
		row: 'Fila {row}',
		duplicate: 'se pagaría OTRA VEZ',
		account: 'la cuenta cambió, o es de otra persona',
		payee: 'primer pago desde aquí',
		again: 'ya se envió, o quizás se envió: se pagaría OTRA VEZ',
		notPaidRows: '{count} filas no se pagan ahora',
		notPaidRow: '1 fila no se paga ahora',
		more: 'y {count} más',
		balance: 'saldo',
		conversion: 'conversión',
		nothingToPay: 'No hay nada que pagar',
		nothingPayable: 'Ahora no se puede pagar ninguna fila',
		allSent: 'Todo esto ya se pagó',
	},
} as const satisfies Translation<typeof en.TEXTS>;

/** The labels of fields, by the English ones of the form. */
export const LABELS: Record<string, string> = {
	Amount: 'Monto',
	Asset: 'Activo',
	'Bank Code': 'Banco',
	Column: 'Columna',
	Country: 'País',
	Currency: 'Moneda',
	Description: 'Glosa',
	'Destination Account': 'Cuenta',
	'Destination Address': 'Dirección de destino',
	'Destination ID Number': 'Documento',
	'Document Type': 'Tipo de documento',
	'Entity Type': 'Tipo de persona',
	'External Reference': 'Referencia',
	'Fiat Amount': 'Monto',
	'Fiat Currency': 'Moneda',
	'First Name': 'Nombres',
	'Funding Source': 'Origen de fondos',
	'Key column': 'Columna clave',
	'Key Columns': 'Columnas clave',
	'Last Name': 'Apellidos',
	Payment: 'Pago',
	'Refund Address': 'Dirección de reembolso',
	Row: 'Fila',
};
