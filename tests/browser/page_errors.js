// SPDX-License-Identifier: Apache-2.0
// Stands before the page's own scripts.
window.pageErrors = [];
window.addEventListener('error', event => window.pageErrors.push(String(event.message)));
window.addEventListener('unhandledrejection', event => window.pageErrors.push(String(event.reason)));
