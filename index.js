module.exports = {
	...require('./dist/credentials/PartnerPaymentsApi.credentials.js'),
	...require('./dist/nodes/PartnerPayments/PartnerPayments.node.js'),
	...require('./dist/nodes/PartnerPaymentsTrigger/PartnerPaymentsTrigger.node.js'),
};
