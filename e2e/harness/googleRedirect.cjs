/** Loaded into n8n: sends its requests to Google to the server of googleSheets.mjs. */
const http = require('node:http');
const https = require('node:https');

const request = https.request;

https.request = function (...args) {
	const options = args.find((arg) => typeof arg === 'object' && arg !== null && 'headers' in arg);
	if (!/(^|\.)googleapis\.com$/.test(options?.hostname ?? options?.host ?? '')) {
		return request.apply(this, args);
	}
	const callback = args.find((arg) => typeof arg === 'function');
	const { method, path, headers } = options;
	const port = process.env.GOOGLE_PORT;
	return http.request({ hostname: '127.0.0.1', port, method, path, headers }, callback);
};
