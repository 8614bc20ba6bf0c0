import type { Resource } from '../../operations/operation';
import { getAll } from './getAll';

export const quoteResource: Resource = { value: 'quote', name: 'Quote', operations: [getAll] };
