import type { Resource } from '../../operations/operation';
import { getAll } from './getAll';

export const quote: Resource = { value: 'quote', name: 'Quote', operations: [getAll] };
