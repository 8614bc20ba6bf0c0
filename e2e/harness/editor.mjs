/**
 * n8n's editor as a person uses it. Parts are found by n8n's names for tests, and parameters by
 * their names, because labels may change.
 */
const OUR_NODES = /^n8n-nodes-partner-payments\./;

/** The time limit for any action in the editor on a busy machine. */
const TIMEOUT_MS = 60_000;

/** How long the options of a list may take to appear. */
const LIST_TIMEOUT_MS = 10_000;

export class Editor {
	/**
	 * Descriptions of the package's nodes.
	 *
	 * @type {any[]}
	 */
	#types = [];

	/** The labels of options, by `parameter=value`. Operations share names. */
	#labels = new Map();

	/** The texts of notices, by their names. */
	#notices = new Map();

	/**
	 * @param {import('playwright-core').Page} page
	 * @param {import('./n8n.mjs').N8n} n8n
	 */
	constructor(page, n8n) {
		this.page = page;
		this.n8n = n8n;
		page.setDefaultTimeout(TIMEOUT_MS);
		/** The open node: its input, parameters and output. */
		this.nodeView = page.getByTestId('ndv');
		this.form = page.getByTestId('node-parameters');
		this.output = page.getByTestId('output-panel');
		this.nodePanel = page.getByTestId('node-creator');
		this.credentialForm = page.getByTestId('editCredential-modal');
	}

	/** Signs in as the owner, through the form. */
	async signIn() {
		const { page, n8n } = this;
		await page.goto(`${n8n.url}/signin`);
		await page.locator('input[name=emailOrLdapLoginId]').fill(n8n.owner.email);
		await page.locator('input[type=password]').fill(n8n.owner.password);
		await page.getByTestId('form-submit-button').click();
		await page.getByTestId('main-sidebar-settings').waitFor();
		await this.#readTypes();
	}

	async #readTypes() {
		this.#types = (await this.n8n.types()).filter(({ name }) => OUR_NODES.test(name));
		const add = (map, key, text) => map.set(key, [...(map.get(key) ?? []), text]);
		const properties = this.#types.flatMap((type) => type.properties);
		// The entries of a collection are properties too.
		const entries = properties.flatMap(({ type, options }) =>
			type === 'collection' ? options : [],
		);
		for (const property of [...properties, ...entries]) {
			const { name, type, displayName, options = [] } = property;
			if (type === 'notice') add(this.#notices, name, displayName.replace(/<[^>]+>/g, ''));
			if (type !== 'options') continue;
			for (const option of options) add(this.#labels, `${name}=${option.value}`, option.name);
		}
	}

	/**
	 * The description of a node in its newest version, as n8n gives it to the editor.
	 *
	 * @param {string} name
	 */
	typeOf(name) {
		return this.#types.findLast((type) => type.name === name);
	}

	/** @param {string} id */
	async openWorkflow(id) {
		await this.page.goto(`${this.n8n.url}/workflow/${id}`);
		await this.nodes.first().waitFor();
	}

	/** The nodes on the canvas. */
	get nodes() {
		return this.page.getByTestId('canvas-node');
	}

	/** @param {string} name */
	node(name) {
		return this.nodes.and(this.page.locator(`[data-node-name="${name}"]`));
	}

	/** Opens the panel where users search for nodes. */
	async openNodePanel() {
		await this.page.getByTestId('node-creator-plus-button').click();
		await this.nodePanel.locator('input').waitFor();
	}

	async closeNodePanel() {
		await this.page.keyboard.press('Escape');
		await this.nodePanel.waitFor({ state: 'hidden' });
	}

	/** @param {string} text */
	async searchNodes(text) {
		await this.nodePanel.locator('input').fill(text);
	}

	/**
	 * An entry of the panel: a node or an action.
	 *
	 * @param {string} name
	 */
	listed(name) {
		return this.nodePanel
			.getByTestId('item-iterator-item')
			.filter({ has: this.page.getByText(name, { exact: true }) });
	}

	/** @param {string} name */
	async openNode(name) {
		await this.node(name).dblclick();
		await this.form.waitFor();
	}

	async closeNode() {
		await this.page.getByTestId('ndv-close-button').click();
		await this.nodeView.waitFor({ state: 'hidden' });
	}

	/**
	 * The part of the form that shows a parameter: its label, or the notice itself.
	 *
	 * @param {string} name
	 */
	part(name) {
		const texts = this.#notices.get(name);
		return texts
			? this.form.locator('.notice').filter({ hasText: oneOf(texts) })
			: this.form.locator(`label[for="${name}"]`);
	}

	/**
	 * The control of a parameter.
	 *
	 * @param {string} name
	 */
	control(name, form = this.form) {
		return form.getByTestId(`parameter-input-${name}`);
	}

	/**
	 * The issue mark of a parameter that is required or invalid.
	 *
	 * @param {string} name
	 */
	issue(name) {
		return this.control(name).getByTestId('parameter-issues');
	}

	/**
	 * @param {string} name
	 * @param {string} value
	 * @param {import('playwright-core').Locator} [form]
	 */
	async fill(name, value, form) {
		await this.control(name, form).locator('input, textarea').first().fill(value);
	}

	/**
	 * The current value as the form shows it.
	 *
	 * @param {string} name
	 * @param {import('playwright-core').Locator} [form]
	 */
	async valueOf(name, form) {
		return await this.control(name, form).locator('input, textarea').last().inputValue();
	}

	/**
	 * Chooses the option with this value, or turns a switch on or off.
	 *
	 * @param {string} name
	 * @param {string} value
	 */
	async choose(name, value) {
		const labels = this.#labels.get(`${name}=${value}`);
		if (!labels) return await this.#toggle(name, value === 'true');
		const input = this.control(name).locator('input');
		const option = this.#option(labels);
		await input.click();
		// The editor may close the list again while it still opens.
		await option.click({ timeout: LIST_TIMEOUT_MS }).catch(async () => {
			if (!(await option.isVisible())) await input.click();
			await option.click();
		});
	}

	#option(labels) {
		return this.page
			.getByTestId('parameter-input-item')
			.filter({ visible: true, has: this.page.getByText(oneOf(labels)) });
	}

	async #toggle(name, on) {
		const toggle = this.control(name).locator('.el-switch');
		const isOn = (await toggle.getByRole('switch').getAttribute('aria-checked')) === 'true';
		if (isOn !== on) await toggle.click();
	}

	/**
	 * The entries that a collection of the open form still offers.
	 *
	 * @param {string} collection the label of its button, for example "Add Option"
	 */
	async offeredEntries(collection) {
		const list = await this.#openEntries(collection);
		const labels = await list.allInnerTexts();
		await this.page.keyboard.press('Escape');
		return labels.map((label) => label.trim());
	}

	/**
	 * Adds an entry of a collection to the open form.
	 *
	 * @param {string} collection the label of its button, for example "Add Option"
	 * @param {string} label
	 */
	async addEntry(collection, label) {
		const list = await this.#openEntries(collection);
		await list.getByText(label, { exact: true }).click();
	}

	/** @param {string} collection */
	async #openEntries(collection) {
		await this.form
			.getByTestId('collection-parameter-add')
			.filter({ has: this.page.getByPlaceholder(collection) })
			.locator('input')
			.click();
		const list = this.page.getByTestId('collection-parameter-option').filter({ visible: true });
		await list.first().waitFor();
		return list;
	}

	/**
	 * Opens the list of a resource locator.
	 *
	 * @param {string} name
	 */
	async openList(name) {
		await this.control(name).getByTestId('rlc-input').click();
		await this.listEntries.first().waitFor();
	}

	/** @param {string} text */
	async searchList(text) {
		await this.page.getByTestId('rlc-search').filter({ visible: true }).fill(text);
	}

	/** The entries of the open list. */
	get listEntries() {
		return this.page.getByTestId('rlc-item').filter({ visible: true });
	}

	/** Runs the open node and waits for its end. */
	async executeNode() {
		const execution = await this.#execute(this.page.getByTestId('node-execute-button'));
		await this.output.getByTestId(/^node-run-status-/).waitFor();
		return execution;
	}

	/**
	 * Runs the open workflow and waits for its end.
	 *
	 * @param {string} [trigger] whose button is pressed, where a workflow has several
	 */
	async executeWorkflow(trigger) {
		if (trigger) await this.node(trigger).hover();
		const name = ['execute-workflow-button', trigger].filter(Boolean).join('-');
		const execution = await this.#execute(this.page.getByTestId(name));
		await this.page.getByTestId('clear-execution-data-button').waitFor();
		return execution;
	}

	/** @param {import('playwright-core').Locator} button */
	async #execute(button) {
		const isRun = (response) =>
			response.request().method() === 'POST' &&
			/\/rest\/workflows\/[^/]+\/run$/.test(new URL(response.url()).pathname);
		const [response] = await Promise.all([this.page.waitForResponse(isRun), button.click()]);
		const { data } = await response.json();
		return await this.n8n.waitForExecution(data.executionId);
	}

	/** Shows the first file of the open output. */
	async openBinary() {
		await this.output.getByTestId('radio-button-binary').click();
		await this.output.getByTestId('ndv-view-binary-data').first().click();
		await this.output.locator('img').waitFor();
	}

	/** The credential selector of the open node. */
	get credentialChoice() {
		return this.page.getByTestId('node-credentials-select');
	}

	/** Opens the form for a new credential. */
	async newCredential() {
		await this.credentialChoice.click();
		await this.page.getByTestId('node-credentials-select-item-new').click();
		await this.credentialForm.waitFor();
	}

	/** Opens the form of the selected credential. */
	async editCredential() {
		await this.page.getByTestId('credential-edit-button').click();
		await this.credentialForm.waitFor();
	}

	/** @param {Record<string, string>} values */
	async fillCredential(values) {
		for (const [name, value] of Object.entries(values)) {
			await this.fill(name, value, this.credentialForm);
		}
	}

	/** Chooses the option with this label in the credential's form. */
	async chooseInCredential(name, label) {
		await this.control(name, this.credentialForm).locator('input').click();
		await this.#option([label]).click();
	}

	/** Saves the credential, which n8n then tests. */
	async saveCredential() {
		await this.credentialForm.getByTestId('credential-save-button').click();
	}

	async retryCredentialTest() {
		await this.credentialForm.getByRole('button', { name: 'Retry' }).click();
	}

	get credentialTestSuccess() {
		return this.page.getByTestId('credentials-config-container-test-success');
	}

	async closeCredential() {
		await this.page.keyboard.press('Escape');
		await this.credentialForm.waitFor({ state: 'hidden' });
	}

	/** Publishes the open workflow, so that its triggers listen. */
	async publish() {
		const { page } = this;
		await page.getByTestId('workflow-open-publish-modal-button').click();
		await page.getByTestId('workflow-publish-button').click();
		const published = page.getByTestId('activation-modal');
		await published.waitFor();
		await published.getByRole('button').last().click();
		await published.waitFor({ state: 'hidden' });
		await page.getByTestId('workflow-active-version-indicator').waitFor();
	}

	async openExecutions() {
		await this.page.getByTestId('radio-button-executions').click();
		await this.page.getByTestId('executions-sidebar').waitFor();
	}

	/** The executions in the open list. */
	get executions() {
		return this.page.getByTestId('current-executions-list').getByTestId(/^execution-details-/);
	}
}

/**
 * Exactly one of these texts.
 *
 * @param {string[]} texts
 */
function oneOf(texts) {
	const escaped = texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^\\s*(${escaped.join('|')})\\s*$`);
}
