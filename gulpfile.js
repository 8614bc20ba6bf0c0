const { dest, parallel, src } = require('gulp');

/** What n8n reads beside the compiled classes: icons, and the codex files of the node panel. */
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const codex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));

exports.build = parallel(icons, codex);
