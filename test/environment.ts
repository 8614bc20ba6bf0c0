/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { join } from 'node:path';

// n8n-core keeps its settings and its encryption key in a folder of the user: here one per process.
process.env.N8N_USER_FOLDER = join(process.env.TEST_FOLDER ?? '', String(process.pid));
process.env.N8N_ENCRYPTION_KEY = 'key-of-the-tests-only';
process.env.N8N_DIAGNOSTICS_ENABLED = 'false';
// The tests talk to this machine only, whatever proxy its network has.
process.env.NO_PROXY = '127.0.0.1,localhost';
