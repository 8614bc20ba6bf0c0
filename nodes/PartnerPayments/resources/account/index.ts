import type { Resource } from '../../operations/operation';
import { get } from './get';

export const accountResource: Resource = { value: 'account', name: 'Account', operations: [get] };
