"use strict";
document.documentElement.classList.remove("plain");
