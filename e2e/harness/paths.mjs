import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the harness, the demo and the end-to-end tests. */
export const E2E_DIR = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** The project. */
export const ROOT_DIR = path.resolve(E2E_DIR, '..');

export const EXAMPLES_DIR = path.join(ROOT_DIR, 'examples');

/** Environment variable by which the test runner tells the test files which packed package to try. */
export const PACKED_VARIABLE = 'PARTNER_PAYMENTS_PACKED';

/** Environment variable by which it tells them where to leave the figures that it prints last. */
export const FIGURES_VARIABLE = 'PARTNER_PAYMENTS_FIGURES';

/** Environment variable by which a test file is told where to leave how each of its tests went. */
export const RESULTS_VARIABLE = 'PARTNER_PAYMENTS_RESULTS';

/** Environment variable that says how many minutes the soak test lasts, and what it lasts unless told. */
export const SOAK_MINUTES_VARIABLE = 'PARTNER_PAYMENTS_SOAK_MINUTES';
export const SOAK_MINUTES = '1.5';

/** Environment variable that leaves tests out which take long and which lower levels show as well. */
export const QUICK_VARIABLE = 'PARTNER_PAYMENTS_QUICK';

/** Environment variable that lets the trace of n8n be recorded anew, not compared with the recorded one. */
export const RECORD_VARIABLE = 'PARTNER_PAYMENTS_RECORD';
