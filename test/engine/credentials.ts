import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IExecuteData,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INode,
	INodeCredentialsDetails,
	INodeProperties,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { ICredentialsHelper, isExpression, NodeHelpers } from 'n8n-workflow';

/** How often n8n asked for what. */
export interface CredentialCounters {
	decrypted: number;
	preAuthentications: number;
	saved: number;
}

/**
 * Credentials as n8n's own helper handles them (`credentials-helper.js` in the n8n package): read at
 * every request for them, and written back after a login. The database is a map, and not encrypted.
 */
export class StoredCredentials extends ICredentialsHelper {
	readonly counters: CredentialCounters = { decrypted: 0, preAuthentications: 0, saved: 0 };

	private readonly entries = new Map<string, string>();

	constructor(private readonly types: ICredentialType[]) {
		super();
	}

	/** Saves a credential as the editor would; one with the same id is replaced. */
	save(id: string, data: ICredentialDataDecryptedObject): void {
		this.entries.set(id, JSON.stringify(data));
	}

	/** The data as it is stored now. */
	stored(id: string | null): ICredentialDataDecryptedObject {
		const entry = this.entries.get(String(id));
		if (entry === undefined) throw new Error(`Credential with ID "${id}" does not exist`);
		return JSON.parse(entry) as ICredentialDataDecryptedObject;
	}

	override getParentTypes(): string[] {
		return [];
	}

	override isCredentialUsableByNode(): boolean {
		return true;
	}

	override getCredentialsProperties(type: string): INodeProperties[] {
		return this.type(type).properties;
	}

	override async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.type(typeName);
		if (typeof authenticate !== 'function') throw new Error('Only functions are run here');
		return await authenticate(credentials, requestOptions);
	}

	override async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		node: INode,
		credentialsExpired: boolean,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		const type = this.type(typeName);
		const expirable = type.properties.find(
			(property) => property.type === 'hidden' && property.typeOptions?.expirable === true,
		);
		if (expirable === undefined || type.preAuthentication === undefined) return undefined;
		if (credentials[expirable.name] !== '' && !credentialsExpired) return undefined;

		this.counters.preAuthentications += 1;
		const { httpRequest } = helpers.helpers;
		const output = await type.preAuthentication.call({ helpers: { httpRequest } }, credentials);
		if (output[expirable.name] === undefined || !node.credentials) return undefined;

		const details = node.credentials[typeName];
		const stored = this.stored(details.id);
		const changed = { ...stored };
		for (const [key, value] of Object.entries(output)) {
			if (key === expirable.name || !isExpression(stored[key])) {
				changed[key] = value as ICredentialDataDecryptedObject[string];
			}
		}
		await this.updateCredentials(details, typeName, changed);
		return Object.assign(credentials, output);
	}

	override async runPreAuthentication(): Promise<undefined> {
		return undefined;
	}

	override async getCredentials(): Promise<ICredentials> {
		throw new Error('Nothing is encrypted here');
	}

	override async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		details: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		raw?: boolean,
		resolve?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		this.counters.decrypted += 1;
		const stored = this.stored(details.id);
		if (raw) return stored;

		const withDefaults = NodeHelpers.getNodeParameters(
			this.getCredentialsProperties(type),
			stored as Parameters<typeof NodeHelpers.getNodeParameters>[1],
			true,
			false,
			null,
			null,
		) as ICredentialDataDecryptedObject;
		if (!resolve) return withDefaults;
		return resolve.workflow.expression.getParameterValue(
			withDefaults as Parameters<typeof resolve.workflow.expression.getParameterValue>[0],
			resolve.runExecutionData,
			resolve.runIndex,
			resolve.itemIndex,
			resolve.node.name,
			resolve.connectionInputData,
			mode,
			{},
			executeData,
		) as ICredentialDataDecryptedObject;
	}

	override async updateCredentials(
		{ id }: INodeCredentialsDetails,
		_type: string,
		data: ICredentialDataDecryptedObject,
	): Promise<void> {
		this.counters.saved += 1;
		this.save(String(id), data);
	}

	override async updateCredentialsOauthTokenData(): Promise<void> {
		throw new Error('OAuth is not used here');
	}

	private type(name: string): ICredentialType {
		const found = this.types.find((type) => type.name === name);
		if (!found) throw new Error(`Unknown credential type ${name}`);
		return found;
	}
}
