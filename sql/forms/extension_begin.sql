\echo Use "create extension tenure" or "alter extension tenure update" to load this file. \quit
set local tenure.form = 'extension';
