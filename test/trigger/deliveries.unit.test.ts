import { deliveryAlarm } from '../../nodes/PartnerPaymentsTrigger/deliveries';

/** What is told of three deliveries to an address that got no answer. */
function alarmFor(host: string): string | undefined {
	const now = Date.now();
	const events = [3, 2, 1].map((minutes) => {
		const time = now - minutes * 60_000;
		const last = { status: 'ERROR', createdAt: new Date(time).toISOString() };
		return { key: `${minutes}`, time, payload: {}, isDelivered: false, last };
	});
	return deliveryAlarm(events, now - 3_600_000, `https://${host}/webhook/path`, true)?.code;
}

test.each([
	'localhost',
	'localhost:5678',
	'n8n.localhost',
	'nas.local',
	'host.docker.internal',
	'0.0.0.0',
	'[::1]',
	'127.0.0.1',
	'10.1.2.3',
	'192.168.1.20',
	'169.254.1.1',
	'172.16.0.1',
	'172.20.0.1',
	'172.31.255.1',
])('%s is an address that machines elsewhere do not reach', (host) => {
	expect(alarmFor(host)).toBe('addressIsLocal');
});

test.each([
	'n8n.example.com',
	'localhost.example.com',
	'mylocalhost',
	'internal.example.com',
	'100.1.2.3',
	'172.15.0.1',
	'172.32.0.1',
	'192.169.1.1',
])('%s is an address that machines elsewhere may reach', (host) => {
	expect(alarmFor(host)).toBe('deliveriesDoNotArrive');
});
