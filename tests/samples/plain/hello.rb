# frozen_string_literal: true
require 'json'

puts JSON.generate({})
