import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the harness, the demo and the end-to-end tests. */
export const E2E_DIR = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** The project. */
export const ROOT_DIR = path.resolve(E2E_DIR, '..');

export const EXAMPLES_DIR = path.join(ROOT_DIR, 'examples');

/** The environment variable with the packed package for the test files. */
export const PACKED_VARIABLE = 'PARTNER_PAYMENTS_PACKED';

/** The environment variable with the file for figures that are printed last. */
export const FIGURES_VARIABLE = 'PARTNER_PAYMENTS_FIGURES';

/** The environment variable with the file for a test file's results. */
export const RESULTS_VARIABLE = 'PARTNER_PAYMENTS_RESULTS';

/** The environment variable with the address of an n8n that was started elsewhere. */
export const ADDRESS_VARIABLE = 'PARTNER_PAYMENTS_N8N_ADDRESS';

/** The environment variable with the minutes of the soak test, and its default. */
export const SOAK_MINUTES_VARIABLE = 'PARTNER_PAYMENTS_SOAK_MINUTES';
export const SOAK_MINUTES = '1.5';

/** The environment variable that records n8n's trace instead of comparing it. */
export const RECORD_VARIABLE = 'PARTNER_PAYMENTS_RECORD';
